package legacyadapter_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// settle waits until there are at most so many goroutines, or as few as there
// were for a while if most is 0, and returns how many there are and how much of
// the heap is in use.
func settle(most int) (goroutines int, heap uint64) {
	deadline := time.Now().Add(10 * time.Second)
	least, since := runtime.NumGoroutine(), 0
	for runtime.NumGoroutine() > most && since < 40 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
		if n := runtime.NumGoroutine(); n < least {
			least, since = n, 0
		}
		if since++; most > 0 {
			since = 0
		}
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// Questions that nobody answers leave nothing behind: no goroutine, no session, no
// memory. Most are asked on a connection whose session is an older peer's, where
// each modern request has a session of its own.
func TestAbandonedQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of requests")
	}
	for name, requests := range map[string]int{"pipes": 2000, "pipes of an older peer": 10_000, "http": 2000} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			var p peer
			sessionsBefore := 1
			switch name {
			case "http":
				p, sessionsBefore = overHTTP(t, d.server, nil), 0
			default:
				p = overPipes(t, d.server)
			}
			if name == "pipes of an older peer" {
				initialize(t, p, `"2025-11-25"`, allCaps)
			}
			abandon := func(n int) (last round) {
				for i := range n {
					tool := []string{"steps", "blocking"}[i%2]
					last = asRound(t, p.call(protocol.MethodCallTool, modern(fmt.Sprintf(`"name":%q,"arguments":{"n":1}`, tool), allCaps), nil))
					checkAsked(t, last)
				}
				return last
			}
			abandon(200) // connections, pools
			before, heapBefore := settle(0)
			last := abandon(requests)
			const idle = 10 // a client's idle connection comes and goes
			after, heapAfter := settle(before + idle)
			if after > before+idle {
				t.Errorf("%d goroutines before, %d after", before, after)
			}
			// Far less than one retained kilobyte for each.
			if most := heapBefore + uint64(requests)*200; heapAfter > most {
				t.Errorf("%d bytes of heap before, %d after", heapBefore, heapAfter)
			}
			if n := len(sessions(d.server)); n != sessionsBefore {
				t.Errorf("%d sessions, want %d", n, sessionsBefore)
			}
			if len(d.done()) != 0 {
				t.Errorf("effects %q", d.done())
			}
			// The last of them is still answered.
			members := last.retry(`"name":"blocking","arguments":{"n":1}`, says(`{"word":"w"}`))
			checkAsked(t, asRound(t, p.call(protocol.MethodCallTool, modern(members, allCaps), nil)))
		})
	}
}

// Many sessions of older peers and many modern peers on one endpoint at once:
// each gets the answers that it gave, and the sessions that are deleted are gone.
func TestManySessionsOfBothEras(t *testing.T) {
	d := newDesk(t)
	url := endpoint(t, d.server, nil)
	const peers = 24
	var wg sync.WaitGroup
	for i := range peers {
		wg.Go(func() {
			p := &httpPeer{t: t, url: url}
			word := fmt.Sprintf("w%d", i)
			own := says(fmt.Sprintf(`{"word":%q}`, word))
			want := strings.TrimSpace(strings.Repeat(word+" ", 4))
			if i%2 == 0 {
				all := rounds(t, protocol.MethodCallTool, `"name":"steps","arguments":{"n":4}`, allCaps, own, p)
				if got := all[len(all)-1].Content[0].Text; got != want || len(all) != 5 {
					t.Errorf("modern %d: %q in %d rounds", i, got, len(all))
				}
				return
			}
			initialize(t, p, `"2025-11-25"`, allCaps)
			x := p.call(protocol.MethodCallTool, `{"name":"steps","arguments":{"n":4}}`, own)
			checkOld(t, x)
			if got := text(t, x); got != want || len(x.asks) != 4 {
				t.Errorf("older %d: %q in %d asks", i, got, len(x.asks))
			}
			res := p.do(p.request("DELETE", "", nil))
			res.Body.Close()
			if res.StatusCode != http.StatusNoContent {
				t.Errorf("older %d: DELETE: status %d", i, res.StatusCode)
			}
		})
	}
	wg.Wait()
	if n := len(d.done()); n != peers {
		t.Errorf("%d effects", n)
	}
	// A modern request's session ends just after its response.
	deadline := time.Now().Add(10 * time.Second)
	for len(sessions(d.server)) > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := len(sessions(d.server)); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// The same round sent many times at once, with different answers: each request
// gets the result of its own answer, and only those that accept have an effect.
// (Without a store each of them is an operation of its own: H20.)
func TestOneRoundManyTimesAtOnce(t *testing.T) {
	d := newDesk(t)
	url := endpoint(t, d.server, nil)
	const members = `"name":"confirm","arguments":{"what":"x"}`
	first := asRound(t, (&httpPeer{t: t, url: url}).call(protocol.MethodCallTool, modern(members, allCaps), nil))
	checkAsked(t, first)
	const clients = 32
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			answer, want := says(fmt.Sprintf(`{"word":"w%d"}`, i)), fmt.Sprintf("did x: w%d", i)
			if i%2 == 0 {
				answer, want = func(frame) string { return `{"action":"decline"}` }, "left x: decline"
			}
			x := (&httpPeer{t: t, url: url}).call(protocol.MethodCallTool, modern(first.retry(members, answer), allCaps), nil)
			if got := text(t, x); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	wg.Wait()
	if n := len(d.done()); n != clients/2 {
		t.Errorf("%d effects of %d accepted answers", n, clients/2)
	}
}

// Bodies that never end and connections that break hold up nobody else, and are
// over with their connection.
func TestSlowBodies(t *testing.T) {
	d := newDesk(t)
	p := overHTTP(t, d.server, nil)
	asRound(t, p.call(protocol.MethodCallTool, modern(`"name":"plain","arguments":{}`, allCaps), nil))
	before, _ := settle(0)
	var slow []net.Conn
	for range 50 {
		c, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":")
		slow = append(slow, c)
	}
	all := rounds(t, protocol.MethodCallTool, `"name":"steps","arguments":{"n":2}`, allCaps, says(`{"word":"w"}`), p)
	checkComplete(t, all[len(all)-1])
	for _, c := range slow {
		c.Close()
	}
	most := before + len(slow)/2 // a client's idle connection comes and goes
	if after, _ := settle(most); after > most {
		t.Errorf("%d goroutines before, %d after %d bodies", before, after, len(slow))
	}
	if n := len(d.done()); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// What looks like one of the adapter's or the protocol's fields and is not the
// very field counts for nothing, and what is the very field in another spelling
// is the field.
func TestSpellingsOfFields(t *testing.T) {
	const secret = "5ecret"
	for _, tt := range []struct {
		name, members string
		// count says that the forged answer is malformed rather than ignored.
		refused bool
	}{
		{"other case", `"InputResponses":{"confirm":{"action":"accept","content":{"word":"5ecret"}}},"RequestState":"5ecret"`, false},
		{"escaped name", `"inputRespon\u0073es":{"confirm":{"action":"accept","content":{"word":"5ecret"}}}`, false},
		{"escaped name, not an object", `"inputRespon\u0073es":"5ecret"`, true},
		{"escaped state", `"request\u0053tate":"mm1.5ecret"`, true},
		{"escaped and plain", `"requestState":"5ecret","request\u0053tate":"5ecret"`, true},
		{"nested meta", `"x":{"_meta":{"io.github.mrtr-migrate/requestState":"\"5ecret\""}}`, false},
		{"deep answer", `"inputResponses":{"confirm":` + strings.Repeat("[", 900) + `"5ecret"` + strings.Repeat("]", 900) + `}`, false},
		{"number that no decoder holds", `"inputResponses":{"confirm":1e999999,"5ecret":-1e-999999}`, false},
		{"lone surrogate", `"inputResponses":{"\ud800":{"5ecret":1}},"requestState":"\ud8005ecret"`, true},
		{"not UTF-8", "\"inputResponses\":{\"5ecret\xff\":{}}", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			both(t, func(t *testing.T, d *desk, p peer) {
				x := p.call(protocol.MethodCallTool, modern(`"name":"confirm","arguments":{"what":"x"},`+tt.members, allCaps), nil)
				if strings.Contains(x.text, secret) {
					t.Errorf("the answer is quoted: %s", x.text)
				}
				if refused := x.Error != nil; refused != tt.refused {
					t.Errorf("refused %v: %s", refused, x.text)
				} else if !refused {
					checkAsked(t, asRound(t, x))
				}
				// An older peer's are dropped, whatever they are.
				if len(d.done()) != 0 {
					t.Errorf("effects %q", d.done())
				}
				all := rounds(t, protocol.MethodCallTool, `"name":"confirm","arguments":{"what":"x"}`, allCaps, says(`{"word":"w"}`), p)
				if checkComplete(t, all[len(all)-1]); len(d.done()) != 1 {
					t.Errorf("effects %q", d.done())
				}
			})
		})
	}
}

// Nothing is asked after a cancel: the handler of a cancelled request that goes
// on to its question gets an error for it, and the peer gets no question.
func TestNoQuestionAfterCancel(t *testing.T) {
	for _, era := range []string{"modern", "older"} {
		t.Run(era, func(t *testing.T) {
			d := newDesk(t)
			p := overPipes(t, d.server)
			params := modern(`"name":"wait","arguments":{"ask":true}`, allCaps)
			if era == "older" {
				initialize(t, p, `"2025-11-25"`, allCaps)
				params = `{"name":"wait","arguments":{"ask":true}}`
			}
			id := ids.Add(1)
			p.send(message(id, protocol.MethodCallTool, params))
			var handler context.Context
			select {
			case handler = <-d.entered:
			case <-time.After(10 * time.Second):
				t.Fatal("the handler did not begin")
			}
			p.notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, id))
			select {
			case <-handler.Done():
			case <-time.After(10 * time.Second):
				t.Fatal("the handler is not cancelled")
			}
			if err := <-d.afterCancel; err == nil {
				t.Error("a cancelled request asked")
			}
			x := p.call("tools/list", strings.Replace(params, `"name"`, `"x"`, 1), nil) // fails the test on a live ask
			if strings.Contains(x.text, protocol.ResultInputRequired) || len(x.asks) != 0 {
				t.Errorf("%s", x.text)
			}
			for _, f := range x.frames {
				if strings.Contains(f.text, protocol.ResultInputRequired) {
					t.Errorf("a question after the cancel: %s", f.text)
				}
			}
		})
	}
}
