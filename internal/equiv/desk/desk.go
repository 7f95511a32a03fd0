// Package desk holds the scripts for testdata/legacyserver, the operations
// desk: at least one per handler for each way in which its questions can be
// answered. The demonstration and the tests play the same ones.
package desk

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/shim/protocol"
	"github.com/mrtr-migrate/mrtr-migrate/testdata"
)

// NewWorld returns a world in dir that begins with the desk's sample records.
func NewWorld(dir string) (*equiv.World, error) {
	sample, err := fs.Sub(testdata.LegacyServer, "legacyserver/sample")
	if err != nil {
		return nil, err
	}
	return &equiv.World{Dir: dir, Seed: sample, Move: move}, nil
}

// move changes the world where no script looks: somebody hires, buys, saves.
func move(dir string, n int) error {
	for kind, record := range map[string]map[string]any{
		"customers": {"id": fmt.Sprintf("new-%d", n), "name": "Somebody New", "owner": "Tom"},
		"backups":   {"id": fmt.Sprintf("mail-1-%d", n), "machine": "mail-1", "expired": true},
		"accounts":  {"id": fmt.Sprintf("new-%d", n), "name": "Somebody New"},
	} {
		if err := write(dir, kind, record); err != nil {
			return err
		}
	}
	return nil
}

// write stores a record as the desk does.
func write(dir, kind string, record map[string]any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, kind), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, kind, fmt.Sprint(record["id"], ".json")), append(data, '\n'), 0o644)
}

// remove deletes a record.
func remove(kind, id string) func(dir string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, kind, id+".json")) }
}

// Scripts returns all scripts, those of one handler next to each other, in the
// order in which the demonstration shows them.
func Scripts() []*equiv.Script {
	return slices.Concat(
		listMachines(), archiveCustomer(), transferCustomer(), scheduleMaintenance(), releaseApp(), retireMachine(),
		payInvoice(), pruneBackups(), suspendAccount(), grantAccess(), registerWorkspaces(), summariseIncident(),
		provisionMachine(), flushCache(), handover(), payroll(), pageOnCall(),
	)
}

// tool returns the call of a tool.
func tool(name string, args map[string]any) equiv.Call {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err) // args are literals below
	}
	return equiv.Call{Method: protocol.MethodCallTool, Target: name, Arguments: data}
}

// script is one way of answering, the rest being the same for a handler.
type script struct {
	name    string
	answers []equiv.Answer
	change  func(*equiv.Script)
}

// scripts builds the scripts of one handler.
func scripts(handler string, call equiv.Call, each ...script) []*equiv.Script {
	var list []*equiv.Script
	for _, e := range each {
		s := &equiv.Script{Handler: handler, Name: e.name, Call: call, Answers: e.answers}
		if e.change != nil {
			e.change(s)
		}
		list = append(list, s)
	}
	return list
}

// without declares everything but one capability.
func without(capability string) func(*equiv.Script) {
	return func(s *equiv.Script) {
		all := map[string]any{
			"elicitation": map[string]any{"form": map[string]any{}, "url": map[string]any{}},
			"sampling":    map[string]any{"tools": map[string]any{}},
			"roots":       map[string]any{},
		}
		delete(all, capability)
		data, err := json.Marshal(all)
		if err != nil {
			panic(err) // a literal
		}
		s.Capabilities = data
	}
}

// answers lists the answers of one script.
func answers(list ...equiv.Answer) []equiv.Answer { return list }

// yes and no fill in the form of a yes-or-no question.
func yes() equiv.Answer { return equiv.Accept(map[string]any{"confirm": true}) }
func no() equiv.Answer  { return equiv.Accept(map[string]any{"confirm": false}) }

// fill accepts with the given fields.
func fill(pairs ...any) equiv.Answer {
	content := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		content[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return equiv.Accept(content)
}

// cancelNull is a cancel as some clients write it.
func cancelNull() equiv.Answer {
	return equiv.Answer{Kind: protocol.MethodElicit, Result: json.RawMessage(`{"action":"cancel","content":null}`)}
}

// gone is what a client says whose person has left.
func gone() equiv.Answer { return equiv.Fail(protocol.CodeInternal, "the window was closed") }
