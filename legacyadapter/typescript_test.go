package legacyadapter_test

import (
	"os"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/tsclient"
)

// The official TypeScript clients of both eras, each against the same endpoint
// and over standard input and output, are asked the same and get the same.
func TestTypeScriptClients(t *testing.T) {
	folder := tsclient.Folder(t, "testdata/typescript")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	url := endpoint(t, d.server, nil)
	tsclient.Play(t, folder, url, program)
	if done := d.done(); len(done) != 9 { // steps, confirm and blocking, of three clients
		t.Errorf("effects %q", done)
	}
}
