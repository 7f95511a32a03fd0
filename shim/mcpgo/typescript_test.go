package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mrtr-migrate/mrtr-migrate/internal/tsclient"
	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/mcpgo"
)

// TestMain serves over standard input and output where a client under test has
// started this program for a server. The scripts of legacyadapter, which these
// tests share, set the variable.
func TestMain(m *testing.M) {
	if os.Getenv("LEGACYADAPTER_DESK") != "stdio" {
		os.Exit(m.Run())
	}
	b := mrtr.Must(mrtr.New(mrtr.EphemeralKeys(), nil))
	if err := b.ServeStdio(wordServer(b)); err != nil && err != context.Canceled {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func word(message string) mcp.ElicitationRequest {
	return mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}}
}

func wordOf(res *mcp.ElicitationResult) string {
	content, _ := res.Content.(map[string]any)
	return fmt.Sprint(content["word"])
}

// wordServer has what the scripts call.
func wordServer(b *mrtr.Binding) *server.MCPServer {
	s := server.NewMCPServer("desk", "1", b.Option(), server.WithElicitation(), server.WithRoots())
	s.EnableSampling()
	add := func(name string, f func(ctx context.Context, req mcp.CallToolRequest) (string, error)) {
		s.AddTool(mcp.NewTool(name), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := f(ctx, req)
			if mrtr.Pending(ctx) {
				return mrtr.InputRequired(ctx), nil
			}
			if err != nil {
				return nil, err
			}
			return mcp.NewToolResultText(text), nil
		})
	}
	add("steps", func(ctx context.Context, req mcp.CallToolRequest) (string, error) {
		var words []string
		for i := range req.GetInt("n", 0) {
			res, err := mrtr.RequestElicitation(ctx, s, mrtr.Key("step", i), word(fmt.Sprintf("Step %d after %v?", i, words)))
			if mrtr.Pending(ctx) || err != nil {
				return "", err
			}
			words = append(words, wordOf(res))
		}
		return strings.Join(words, " "), nil
	})
	add("confirm", func(ctx context.Context, req mcp.CallToolRequest) (string, error) {
		res, err := mrtr.RequestElicitation(ctx, s, "confirm", word("Do "+req.GetString("what", "")+"?"))
		if mrtr.Pending(ctx) || err != nil {
			return "", err
		}
		return "did " + req.GetString("what", "") + ": " + wordOf(res), nil
	})
	add("blocking", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		blocking := mrtr.Blocking(s, "blocking")
		first, err := blocking.RequestElicitation(ctx, word("First?"))
		if err != nil {
			return "", err
		}
		second, err := blocking.RequestElicitation(ctx, word("After "+wordOf(first)+"?"))
		if err != nil {
			return "", err
		}
		return wordOf(first) + " " + wordOf(second), nil
	})
	add("link", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		res, err := mrtr.RequestElicitation(ctx, s, "link", mcp.ElicitationRequest{Params: mcp.ElicitationParams{Mode: "url", Message: "Sign in", URL: "https://example.com/sign-in"}})
		if mrtr.Pending(ctx) || err != nil {
			return "", err
		}
		return "signed in: " + string(res.Action), nil
	})
	add("sample", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		res, err := mrtr.RequestSampling(ctx, s, "sample", mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
			MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("Summarise")}},
		}})
		if mrtr.Pending(ctx) || err != nil {
			return "", err
		}
		return res.Content.(mcp.TextContent).Text, nil
	})
	add("roots", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		res, err := mrtr.RequestRoots(ctx, s, "roots", mcp.ListRootsRequest{})
		if mrtr.Pending(ctx) || err != nil {
			return "", err
		}
		return fmt.Sprintf("%d roots", len(res.Roots)), nil
	})
	add("plain", func(context.Context, mcp.CallToolRequest) (string, error) { return "plain", nil })
	s.AddPrompt(mcp.NewPrompt("handover", mcp.WithArgument("shift")), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		res, err := mrtr.RequestElicitation(ctx, s, "handover", word("Hand over to "+req.Params.Arguments["shift"]+"?"))
		if mrtr.Pending(ctx) {
			return mrtr.PromptInputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("handover "+wordOf(res)))}), nil
	})
	s.AddResource(mcp.NewResource("desk://payroll", "payroll"), func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		res, err := mrtr.RequestElicitation(ctx, s, "payroll", word("Show the payroll?"))
		if mrtr.Pending(ctx) {
			return mrtr.ResourceInputRequired(ctx), nil
		}
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, Text: "payroll " + wordOf(res)}}, nil
	})
	return s
}

// The official TypeScript clients of both eras, each against the same endpoint
// and over standard input and output, are asked the same and get the same.
func TestTypeScriptClients(t *testing.T) {
	folder := tsclient.Folder(t, "../../legacyadapter/testdata/typescript")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBinding(t, nil)
	srv := httptest.NewServer(b.NewStreamableHTTPServer(wordServer(b)))
	t.Cleanup(srv.Close)
	url := srv.URL + "/mcp"
	tsclient.Play(t, folder, url, program)
}
