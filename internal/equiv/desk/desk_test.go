package desk_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv"
	"github.com/mrtr-migrate/mrtr-migrate/internal/equiv/desk"
	"github.com/mrtr-migrate/mrtr-migrate/testdata"
)

// original builds the desk as it stands in the repository.
func original(t *testing.T) equiv.Program {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "desk")
	out, err := exec.Command("go", "build", "-o", bin, testdata.LegacyServerPath).CombinedOutput()
	if err != nil {
		t.Fatalf("building the desk: %v\n%s", err, out)
	}
	return equiv.Program{Name: "original", Bin: bin}
}

// fleet returns the program over a transport, on a world of its own.
func fleet(t *testing.T, p equiv.Program, transport equiv.Transport) *equiv.Fleet {
	t.Helper()
	world, err := desk.NewWorld(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	f := &equiv.Fleet{Program: p, Transport: transport, World: world}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// play plays a script and judges it against the original.
func play(t *testing.T, f *equiv.Fleet, s *equiv.Script, base *equiv.Baseline, subject equiv.Subject) (*equiv.Transcript, []equiv.Difference) {
	t.Helper()
	got, err := equiv.Play(t.Context(), f, subject.Era, s, subject.Fault, nil)
	if err != nil {
		t.Fatal(err)
	}
	diffs, err := equiv.Judge(s, base, subject, got)
	if err != nil {
		t.Fatal(err)
	}
	return got, diffs
}

// The original must agree with itself over both transports: the scripts say
// what it asks, and the harness sees the same through either connection.
func TestOriginalAgreesWithItself(t *testing.T) {
	program := original(t)
	baseline, http := fleet(t, program, equiv.Stdio), fleet(t, program, equiv.HTTP)
	for _, s := range desk.Scripts() {
		t.Run(s.Title(), func(t *testing.T) {
			base, err := equiv.Record(t.Context(), baseline, s)
			if err != nil {
				t.Fatal(err)
			}
			if base.Full.Stuck != nil {
				t.Errorf("the script has no answer to %s", base.Full.Stuck)
			}
			for _, q := range base.Settled.Questions {
				if q.Text() == "" && q.Kind != "roots/list" {
					t.Errorf("a question without text: %s", q)
				}
			}
			for _, b := range base.Full.Breaches {
				t.Errorf("%s", b)
			}
			_, diffs := play(t, http, s, base, equiv.Subject{Era: equiv.Legacy})
			for _, d := range diffs {
				t.Errorf("over HTTP: %s", d)
			}
			t.Logf("%d questions, %s, effects %q", len(base.Full.Questions), base.Full.Result, base.Full.Effects)
		})
	}
}
