package legacyadapter

import (
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mrtr "github.com/mrtr-migrate/mrtr-migrate/shim/gosdk"
)

// Install makes server serve peers of both eras: it adds the version gate, and
// the shim's middleware behind it for the requests of modern peers. It is
// called once for a server, before anything else adds middleware to it that
// must see the gate's results and not the handlers'.
//
// keys is where the keys of requestState come from, and opts configures the
// shim; nil means its defaults. It is an error if no server is given, or if
// there is no usable key: instances that cannot open each other's state would
// fail one by one, later.
func Install(server *mcp.Server, keys mrtr.Keys, opts *mrtr.Options) error {
	if server == nil {
		return errors.New("legacyadapter: no server to install the version gate on")
	}
	shim, err := mrtr.NewMiddleware(keys, opts)
	if err != nil {
		return fmt.Errorf("legacyadapter: %w", err)
	}
	install(server, shim)
	return nil
}

// MustInstall is [Install] with default options for use around the expression
// that makes a server, which it returns. Like [regexp.MustCompile] it panics on
// an error, so that a program without usable keys stops when it starts.
func MustInstall(server *mcp.Server, keys mrtr.Keys) *mcp.Server {
	if err := Install(server, keys, nil); err != nil {
		panic(err)
	}
	return server
}
