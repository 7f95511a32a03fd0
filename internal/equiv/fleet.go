package equiv

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
)

// Program is a server to play scripts against. It takes the flags -data dir,
// and -http addr for Streamable HTTP instead of stdio; on HTTP it writes
// url=http://… to standard error once it listens.
type Program struct {
	// Name is what reports call it: "original", "rewritten".
	Name string
	// Bin is the path of the executable.
	Bin string
	// Env is added to this process's environment, as KEY=value.
	Env []string
}

// Transport is how a client reaches a program.
type Transport uint8

const (
	Stdio Transport = iota
	HTTP
)

func (t Transport) String() string {
	if t == HTTP {
		return "http"
	}
	return "stdio"
}

// Fleet is a program with all its running instances, over one transport and on
// one world. Instances start when they are first needed. A fleet plays one
// script at a time.
type Fleet struct {
	Program   Program
	Transport Transport
	World     *World

	mu      sync.Mutex
	modern  []*process
	legacy  map[string]conn
	running []*process
	nextID  int
}

// Close stops all instances and waits until they are gone.
func (f *Fleet) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, p := range f.running {
		errs = append(errs, p.stop())
	}
	f.running, f.modern, f.legacy = nil, nil, nil
	return errors.Join(errs...)
}

// id returns an id that no request of this fleet had before.
func (f *Fleet) id() json.RawMessage {
	f.nextID++
	return mustJSON(f.nextID)
}

// modernConn returns a connection to the i-th instance for a client of
// 2026-07-28.
func (f *Fleet) modernConn(ctx context.Context, i int) (conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.modern) <= i {
		p, err := f.start(ctx)
		if err != nil {
			return nil, err
		}
		f.modern = append(f.modern, p)
	}
	if f.Transport == HTTP {
		return &httpConn{client: f.modern[i].client, url: f.modern[i].url, revision: protocol.Revision20260728}, nil
	}
	return f.modern[i].stdio, nil
}

// legacyConn returns a connection on which a client has been initialized that
// declared the capabilities and asked for the revision declared.
func (f *Fleet) legacyConn(ctx context.Context, capabilities json.RawMessage, declared string) (conn, error) {
	key := declared + canonical(capabilities)
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.legacy[key]; ok {
		return c, nil
	}
	var c conn
	if f.Transport == HTTP {
		// One instance serves all old clients: their sessions live in it.
		if len(f.modern) == 0 {
			p, err := f.start(ctx)
			if err != nil {
				return nil, err
			}
			f.modern = append(f.modern, p)
		}
		c = &httpConn{client: f.modern[0].client, url: f.modern[0].url}
	} else {
		p, err := f.start(ctx)
		if err != nil {
			return nil, err
		}
		c = p.stdio
	}
	if err := f.initialize(ctx, c, capabilities, declared); err != nil {
		return nil, err
	}
	if f.legacy == nil {
		f.legacy = make(map[string]conn)
	}
	f.legacy[key] = c
	return c, nil
}

// initialize does the handshake of the older revisions.
func (f *Fleet) initialize(ctx context.Context, c conn, capabilities json.RawMessage, declared string) error {
	req := &Message{Version: "2.0", ID: f.id(), Method: protocol.MethodInitialize, Params: mustJSON(map[string]any{
		"protocolVersion": declared,
		"capabilities":    capabilities,
		"clientInfo":      clientInfo,
	})}
	resp, err := c.call(ctx, req, func(*Message) *Message { return nil })
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if resp.Error != nil {
		return fmt.Errorf("initialize: %w", resp.Error)
	}
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(resp.Result, &result); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if !protocol.IsLegacy(result.ProtocolVersion) {
		return fmt.Errorf("initialize: the server chose revision %q, which has no handshake", result.ProtocolVersion)
	}
	if h, ok := c.(*httpConn); ok {
		h.revision = result.ProtocolVersion
	}
	return c.notify(ctx, &Message{Version: "2.0", Method: "notifications/initialized"})
}

// clientInfo is how both clients introduce themselves.
var clientInfo = map[string]string{"name": "equiv", "version": "1"}

// process is a running instance.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdio  *stdioConn
	url    string
	client *http.Client
	stderr *tail
	exited chan struct{}
	err    error // why it exited; set before exited is closed
}

// urlLine finds the endpoint in what a program writes when it listens.
var urlLine = regexp.MustCompile(`url=(http://[^ "]+)`)

// startTime bounds how long a program may take to listen.
const startTime = 20 * time.Second

// start runs another instance. f.mu is held.
func (f *Fleet) start(ctx context.Context) (*process, error) {
	args := []string{"-data", f.World.Dir}
	if f.Transport == HTTP {
		args = append(args, "-http", "127.0.0.1:0")
	}
	// The process outlives ctx, which is one script's.
	cmd := exec.Command(f.Program.Bin, args...)
	cmd.Env = append(os.Environ(), f.Program.Env...)
	p := &process{cmd: cmd, stderr: &tail{}, exited: make(chan struct{})}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", f.Program.Name, err)
	}
	f.running = append(f.running, p)

	listening := make(chan string, 1)
	read := make(chan struct{}, 2)
	go func() {
		scanner := bufio.NewScanner(stderr)
		scanner.Buffer(nil, maxMessage)
		for scanner.Scan() {
			p.stderr.add(scanner.Text())
			if m := urlLine.FindStringSubmatch(scanner.Text()); m != nil && f.Transport == HTTP {
				select {
				case listening <- m[1]:
				default:
				}
			}
		}
		read <- struct{}{}
	}()
	if f.Transport == HTTP {
		go func() {
			_, _ = io.Copy(io.Discard, stdout)
			read <- struct{}{}
		}()
	} else {
		p.stdio = newStdioConn(stdin, &signalled{stdout, read}, p.died)
	}
	go func() {
		// Wait closes the pipes, so both must have been read to their end.
		<-read
		<-read
		p.err = cmd.Wait()
		close(p.exited)
	}()
	if f.Transport == Stdio {
		return p, nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case p.url = <-listening:
		p.client = &http.Client{Transport: &http.Transport{}}
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("%s did not listen: %w", f.Program.Name, p.died())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s did not listen: %w", f.Program.Name, context.Cause(ctx))
	}
}

// died waits for the process to end and says how it did.
func (p *process) died() error {
	<-p.exited
	return fmt.Errorf("%s: %v\n%s", p.cmd.Path, p.cmd.ProcessState, p.stderr.String())
}

// stopTime is how long a process may take to end by itself.
const stopTime = 3 * time.Second

// stop ends the process and waits until it has.
func (p *process) stop() error {
	if p.client != nil {
		p.client.CloseIdleConnections()
	}
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if p.stdio != nil {
		go p.stdio.drain()
	}
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		<-p.exited
	}
	return nil
}

// signalled tells when its reader has come to an end.
type signalled struct {
	io.Reader
	end chan<- struct{}
}

func (s *signalled) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && s.end != nil {
		s.end <- struct{}{}
		s.end = nil
	}
	return n, err
}

// tail keeps the last lines that a process wrote.
type tail struct {
	mu    sync.Mutex
	lines []string
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines = append(t.lines, line); len(t.lines) > 20 {
		t.lines = t.lines[1:]
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
