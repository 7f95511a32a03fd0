package tools

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-migrate/mrtr-migrate/testdata/legacyserver/internal/store"
)

type machinesOutput struct {
	Machines []store.Machine `json:"machines"`
}

// listMachines lists the machines in service.
func (d *desk) listMachines(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, machinesOutput, error) {
	out := machinesOutput{Machines: []store.Machine{}}
	all, err := d.records.Machines()
	if err != nil {
		return nil, out, err
	}
	for _, m := range all {
		if !m.Retired {
			out.Machines = append(out.Machines, m)
		}
	}
	return nil, out, nil
}

type provisionInput struct {
	Role string `json:"role" jsonschema:"what the machine is for, such as web"`
}

// provisionMachine starts a machine, and then asks how large its disk should
// be: its name is part of the question.
func (d *desk) provisionMachine(ctx context.Context, req *mcp.CallToolRequest, in provisionInput) (*mcp.CallToolResult, any, error) {
	machine, err := d.records.CreateMachine(in.Role)
	if err != nil {
		return nil, nil, err
	}
	res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{
		Message: fmt.Sprintf("%s is up. How many gigabytes of disk does it need?", machine.ID),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"gigabytes": {Type: "integer", Minimum: jsonschema.Ptr(10.0), Maximum: jsonschema.Ptr(2000.0)},
			},
			Required: []string{"gigabytes"},
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("%s is up, but has no disk: %w", machine.ID, err)
	}
	if res.Action != "accept" {
		return say("%s is up, without a disk.", machine.ID), nil, nil
	}
	gigabytes, _ := res.Content["gigabytes"].(float64)
	if err := d.records.AttachDisk(machine.ID, int(gigabytes)); err != nil {
		return nil, nil, err
	}
	return say("%s is up with %d GB.", machine.ID, int(gigabytes)), nil, nil
}

type retireInput struct {
	Machine string `json:"machine" jsonschema:"the machine's id"`
}

// retireMachine asks whether to retire a machine, and if it has a disk, whether
// to erase that too, and then whether to save it first.
func (d *desk) retireMachine(ctx context.Context, req *mcp.CallToolRequest, in retireInput) (*mcp.CallToolResult, any, error) {
	machine, err := d.records.Machine(in.Machine)
	if err != nil {
		return nil, nil, err
	}
	ok, err := confirm(ctx, req.Session, fmt.Sprintf("Retire %s (%s, %d GB)?", machine.ID, machine.Role, machine.Disk))
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return say("%s stays in service.", machine.ID), nil, nil
	}
	erase, save := false, false
	if machine.Disk > 0 {
		if erase, err = confirm(ctx, req.Session, "Erase its disk as well?"); err != nil {
			return nil, nil, err
		}
		if erase {
			if save, err = confirm(ctx, req.Session, "Make a last backup first?"); err != nil {
				return nil, nil, err
			}
		}
	}
	if save {
		if err := d.records.SaveDisk(machine.ID); err != nil {
			return nil, nil, err
		}
	}
	if err := d.records.RetireMachine(machine.ID, erase); err != nil {
		return nil, nil, err
	}
	if erase {
		return say("%s is retired, its disk erased.", machine.ID), nil, nil
	}
	return say("%s is retired.", machine.ID), nil, nil
}
