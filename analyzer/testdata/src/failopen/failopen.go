// Package failopen has guards that open when the question fails, and their
// look-alikes.
package failopen

import (
	"context"
	"errors"
	"log"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type input struct{ Name string }

func Register(s *mcp.Server, strict bool) {
	mcp.AddTool(s, &mcp.Tool{Name: "elseif"}, elseIf)
	mcp.AddTool(s, &mcp.Tool{Name: "inverted"}, inverted)
	mcp.AddTool(s, &mcp.Tool{Name: "flag"}, flagged)
	mcp.AddTool(s, &mcp.Tool{Name: "sentinel"}, sentinel)
	mcp.AddTool(s, &mcp.Tool{Name: "helper"}, throughHelper)
	mcp.AddTool(s, &mcp.Tool{Name: "blank"}, blank)
	mcp.AddTool(s, &mcp.Tool{Name: "noticed"}, noticed)
	mcp.AddTool(s, &mcp.Tool{Name: "switch"}, switched)
	mcp.AddTool(s, &mcp.Tool{Name: "closed"}, closed)
	mcp.AddTool(s, &mcp.Tool{Name: "closedflag"}, closedFlag)
	mcp.AddTool(s, &mcp.Tool{Name: "audited"}, audited)
	mcp.AddTool(s, &mcp.Tool{Name: "fallback"}, fallback)
	mcp.AddTool(s, &mcp.Tool{Name: "configured"}, (&settings{strict}).configured)
	mcp.AddTool(s, &mcp.Tool{Name: "other"}, otherReason)
	mcp.AddTool(s, &mcp.Tool{Name: "nilguard"}, nilGuard)
	mcp.AddTool(s, &mcp.Tool{Name: "judged"}, judged)
	mcp.AddTool(s, &mcp.Tool{Name: "forced"}, forced)
	mcp.AddTool(s, &mcp.Tool{Name: "crash"}, crash)
	mcp.AddTool(s, &mcp.Tool{Name: "loop"}, inLoop)
	mcp.AddTool(s, &mcp.Tool{Name: "unless"}, unlessCancelled)
	mcp.AddTool(s, &mcp.Tool{Name: "only"}, onlyUnsupported)
	mcp.AddTool(s, &mcp.Tool{Name: "text"}, onlyText)
	mcp.AddTool(s, &mcp.Tool{Name: "value"}, orDefault)
	mcp.AddTool(s, &mcp.Tool{Name: "parallel"}, parallel)
	mcp.AddTool(s, &mcp.Tool{Name: "lax"}, (&settings{strict}).laxly)
	mcp.AddTool(s, &mcp.Tool{Name: "reports"}, reports)
	s.AddReceivingMiddleware(middleware)
}

func elseIf(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 fail-open: if req\.Session\.Elicit fails, elseIf goes on to os\.Remove \(failopen\.go:54\) as though it had been accepted`
	if err != nil {
		log.Print("cannot ask: ", err)
	} else if res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

func inverted(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
	if err == nil && res.Action != "accept" {
		return nil, nil, errors.New("declined")
	}
	return nil, nil, os.Remove(in.Name)
}

func flagged(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	approved := true
	if res, err := req.Session.Elicit(ctx, nil); err == nil { // want `MRTR001 ` `MRTR010 `
		approved = res.Action == "accept" && res.Content["confirm"] == true
	}
	if !approved {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

var errUnsupported = errors.New("unsupported")

func sentinel(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
	if errors.Is(err, errUnsupported) {
		return nil, nil, err
	}
	if err == nil && res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// confirm swallows failures.
func confirm(ctx context.Context, s *mcp.ServerSession) (ok bool, err error) {
	res, err := s.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		return true, nil
	}
	return res.Action == "accept", nil
}

func throughHelper(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	ok, err := confirm(ctx, req.Session) // want `MRTR010 fail-open: if confirm fails, .* \(failopen\.go:93\), and throughHelper goes on to os\.Remove`
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

func blank(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	_, _ = req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 fail-open: nobody looks at the answer of req\.Session\.Elicit, and blank goes on to os\.Remove`
	return nil, nil, os.Remove(in.Name)
}

func noticed(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	if _, err := req.Session.Elicit(ctx, nil); err != nil { // want `MRTR001 ` `MRTR010 fail-open: nobody looks`
		log.Print(err)
	}
	return nil, nil, os.Remove(in.Name)
}

func switched(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	action := "accept"
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
	if res != nil && err == nil {
		action = res.Action
	}
	switch action {
	case "decline", "cancel":
		return nil, nil, nil
	case "accept":
		return nil, nil, os.Remove(in.Name)
	}
	return nil, nil, nil
}

func middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		res, err := call.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 .* goes on to next `
		if err != nil {
			return next(ctx, method, req)
		}
		if res.Action != "accept" {
			return nil, errors.New("declined")
		}
		return next(ctx, method, req)
	}
}

// What follows is fine.

func closed(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		return nil, nil, err
	}
	if res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

func closedFlag(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	approved := false
	if res, err := req.Session.Elicit(ctx, nil); err == nil { // want `MRTR001 `
		approved = res.Action == "accept"
	}
	if !approved {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// audited has an effect after a failure, but not the guarded one.
func audited(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		_ = os.WriteFile("audit", []byte("failed"), 0o600)
		return nil, nil, err
	}
	if res.Action != "accept" {
		return nil, nil, nil
	}
	_ = os.WriteFile("audit", []byte("accepted"), 0o600)
	return nil, nil, os.Remove(in.Name)
}

// fallback does something else if it cannot ask.
func fallback(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	format := "txt"
	if res, err := req.Session.Elicit(ctx, nil); err == nil && res.Action == "accept" { // want `MRTR001 `
		format, _ = res.Content["format"].(string)
	}
	return nil, nil, os.WriteFile(in.Name+format, nil, 0o600)
}

type settings struct{ strict bool }

// configured leaves it to the settings.
func (s *settings) configured(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		if s.strict {
			return nil, nil, err
		}
		log.Print("going on without")
	} else if res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// otherReason has an early return that the answer does not decide.
func otherReason(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	var note string
	if res, err := req.Session.Elicit(ctx, nil); err == nil && res.Action == "accept" { // want `MRTR001 `
		note, _ = res.Content["note"].(string)
	}
	if in.Name == "" {
		return nil, nil, errors.New("no name")
	}
	return nil, nil, os.WriteFile(in.Name, []byte(note), 0o600)
}

func nilGuard(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil || res == nil || res.Action != "accept" {
		return nil, nil, err
	}
	return nil, nil, os.Remove(in.Name)
}

func accepted(res *mcp.ElicitResult, err error) bool {
	return err == nil && res.Action == "accept"
}

// judged leaves the judgement to a function.
func judged(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if !accepted(res, err) {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// forced asks only for what the caller has not said.
func forced(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	if in.Name == "" {
		res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
		if err == nil && res.Action == "accept" {
			in.Name, _ = res.Content["name"].(string)
		}
		if in.Name == "" {
			return nil, nil, errors.New("no name")
		}
	}
	return nil, nil, os.Remove(in.Name)
}

// crash is stopped by the nil pointer, not by the guard.
func crash(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, _ := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	if res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

func inLoop(ctx context.Context, req *mcp.CallToolRequest, in []input) (*mcp.CallToolResult, any, error) {
	for _, i := range in {
		res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
		if err == nil && res.Action != "accept" {
			continue
		}
		if err := os.Remove(i.Name); err != nil { // want `MRTR011 `
			return nil, nil, err
		}
	}
	return nil, nil, nil
}

// unlessCancelled looks at why the question failed, but goes on.
func unlessCancelled(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		log.Print(err)
	} else if res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// lenient leaves it to its caller's setting.
func lenient(ctx context.Context, s *mcp.ServerSession, lax bool) error {
	res, err := s.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		if lax {
			return nil
		}
		return err
	}
	if res.Action != "accept" {
		return errors.New("declined")
	}
	return nil
}

func (s *settings) laxly(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	if err := lenient(ctx, req.Session, !s.strict); err != nil {
		return nil, nil, err
	}
	return nil, nil, os.Remove(in.Name)
}

// honest returns its failure.
func honest(ctx context.Context, s *mcp.ServerSession) (bool, error) {
	res, err := s.Elicit(ctx, nil) // want `MRTR001 `
	if err != nil {
		return false, err
	}
	return res.Action == "accept", nil
}

func reports(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	ok, err := honest(ctx, req.Session) // want `MRTR010 fail-open: if honest fails, reports goes on to os\.Remove`
	if err != nil {
		log.Print(err) // and goes on
	} else if !ok {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// onlyUnsupported goes on for one error only.
func onlyUnsupported(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 fail-open: for some errors of req\.Session\.Elicit, onlyUnsupported goes on to os\.Remove`
	if err != nil && !errors.Is(err, errUnsupported) {
		return nil, nil, err
	}
	if err == nil && res.Action != "accept" {
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

func unsupported(err error) bool {
	return err != nil && strings.Contains(strings.ToLower(err.Error()), "does not support")
}

// onlyText does the same by the error's text.
func onlyText(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 ` `MRTR010 `
	switch {
	case unsupported(err):
		log.Print("going on without")
	case err != nil:
		return nil, nil, err
	case res.Action != "accept":
		return nil, nil, nil
	}
	return nil, nil, os.Remove(in.Name)
}

// orDefault asks for a value, and has one of its own if the client cannot ask.
func orDefault(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	res, err := req.Session.Elicit(ctx, nil) // want `MRTR001 `
	name := "default"
	switch {
	case unsupported(err):
	case err != nil:
		return nil, nil, err
	case res.Action != "accept":
		return nil, nil, nil
	default:
		name, _ = res.Content["name"].(string)
	}
	return nil, nil, os.Remove(name)
}

// askBoth asks on goroutines: what it returns cannot be seen.
func askBoth(ctx context.Context, s *mcp.ServerSession) error {
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := s.Elicit(ctx, nil) // want `MRTR001 ` `MRTR014 `
			errs <- err
		}()
	}
	return errors.Join(<-errs, <-errs)
}

func parallel(ctx context.Context, req *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
	if err := askBoth(ctx, req.Session); err != nil {
		return nil, nil, err
	}
	return nil, nil, os.Remove(in.Name)
}
