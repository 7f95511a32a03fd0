package vetunit

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

const sdkPath = "github.com/modelcontextprotocol/go-sdk/mcp"

// A testUnit is a package in a module that requires an SDK, so that it is
// looked at although it imports nothing.
type testUnit struct {
	dir string
	cfg config
}

func newUnit(t *testing.T, source string) *testUnit {
	t.Helper()
	dir := t.TempDir()
	u := &testUnit{dir: dir, cfg: config{
		ID: "example.com/m", ImportPath: "example.com/m", ModulePath: "example.com/m", GoVersion: "go1.26",
		GoFiles: []string{filepath.Join(dir, "m.go")}, VetxOutput: filepath.Join(dir, "vetx"),
	}}
	u.write(t, "m.go", source)
	u.write(t, "go.mod", "module example.com/m\n\nrequire github.com/modelcontextprotocol/go-sdk v1.8.0\n")
	return u
}

func (u *testUnit) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (u *testUnit) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(u.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// run runs the tool on the unit as the go command would.
func (u *testUnit) run(t *testing.T, analyzers []*analysis.Analyzer, flags ...string) (status int, stdout, stderr string) {
	t.Helper()
	data, err := json.Marshal(u.cfg)
	if err != nil {
		t.Fatal(err)
	}
	u.write(t, "vet.cfg", string(data))
	var out, errs bytes.Buffer
	status, ok := Main(append(flags, filepath.Join(u.dir, "vet.cfg")), &out, &errs, analyzers)
	if !ok {
		t.Fatal("the arguments were not taken for the go command's")
	}
	return status, out.String(), errs.String()
}

// renamer reports each function whose name starts with "old" and offers to
// rename it; one named oldTwice is reported twice, with two different names.
var renamer = &analysis.Analyzer{
	Name: "renamer",
	Doc:  "offers names",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.Files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !strings.HasPrefix(fn.Name.Name, "old") {
					continue
				}
				names := []string{"fresh"}
				if fn.Name.Name == "oldTwice" {
					names = append(names, "another")
				}
				for _, name := range names {
					pass.Report(analysis.Diagnostic{
						Pos: fn.Name.Pos(), End: fn.Name.End(), Category: "R1", Message: "R1 is old",
						Related: []analysis.RelatedInformation{{Pos: f.Name.Pos(), Message: "in this package"}},
						SuggestedFixes: []analysis.SuggestedFix{
							{Message: "rename", TextEdits: []analysis.TextEdit{{Pos: fn.Name.Pos(), End: fn.Name.End(), NewText: []byte(name)}}},
							{Message: "an alternative", TextEdits: []analysis.TextEdit{{Pos: fn.Name.Pos(), End: fn.Name.End(), NewText: []byte("alternative")}}},
						},
					})
				}
			}
		}
		return nil, nil
	},
}

const oldSource = "package m\n\nfunc old() {}\n"

func TestFix(t *testing.T) {
	analyzers := []*analysis.Analyzer{renamer}
	const fixed = "package m\n\nfunc fresh() {}\n"

	t.Run("archive", func(t *testing.T) {
		u := newUnit(t, oldSource)
		u.cfg.FixArchive = filepath.Join(u.dir, "fix.zip")
		if status, out, errs := u.run(t, analyzers, "-fix"); status != 0 || out+errs != "" {
			t.Fatalf("status %d, output %q %q, want silence", status, out, errs)
		}
		if got := u.read(t, "m.go"); got != oldSource {
			t.Errorf("the file was written although there is an archive: %q", got)
		}
		zr, err := zip.OpenReader(u.cfg.FixArchive)
		if err != nil {
			t.Fatal(err)
		}
		defer zr.Close()
		if len(zr.File) != 1 || zr.File[0].Name != u.cfg.GoFiles[0] {
			t.Fatalf("the archive holds %v, want the one file", zr.File)
		}
		r, err := zr.File[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != fixed {
			t.Errorf("the archive has %q (%v), want %q", got, err, fixed)
		}
	})
	t.Run("in place", func(t *testing.T) {
		u := newUnit(t, oldSource)
		if status, _, errs := u.run(t, analyzers, "-fix"); status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		if got := u.read(t, "m.go"); got != fixed {
			t.Errorf("got %q, want %q", got, fixed)
		}
	})
	t.Run("diff", func(t *testing.T) {
		u := newUnit(t, oldSource)
		u.cfg.Stdout = filepath.Join(u.dir, "stdout")
		u.cfg.FixArchive = filepath.Join(u.dir, "fix.zip")
		if status, _, errs := u.run(t, analyzers, "-fix", "-diff"); status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		if diff := u.read(t, "stdout"); !strings.Contains(diff, "\n-func old() {}\n+func fresh() {}\n") {
			t.Errorf("got %q, want a diff", diff)
		}
		if got := u.read(t, "m.go"); got != oldSource {
			t.Errorf("-diff has changed the file: %q", got)
		}
	})
	t.Run("conflict", func(t *testing.T) {
		u := newUnit(t, "package m\n\nfunc oldTwice() {}\n")
		status, _, errs := u.run(t, analyzers, "-fix")
		if status != 1 || !strings.Contains(errs, "applied 1 of 2 fixes") {
			t.Errorf("status %d, %q, want a note that one fix was left out", status, errs)
		}
		if got := u.read(t, "m.go"); got != fixed {
			t.Errorf("got %q, want the first fix alone: %q", got, fixed)
		}
	})
	t.Run("generated", func(t *testing.T) {
		source := "// Code generated by hand. DO NOT EDIT.\n\n" + oldSource
		u := newUnit(t, source)
		if status, _, errs := u.run(t, analyzers, "-fix"); status != 1 || !strings.Contains(errs, "applied 0 of 1 fixes") {
			t.Errorf("status %d, %q, want a note that nothing was fixed", status, errs)
		}
		if got := u.read(t, "m.go"); got != source {
			t.Errorf("a generated file was edited: %q", got)
		}
	})
	t.Run("not formatted", func(t *testing.T) {
		u := newUnit(t, "package m\nfunc   old()   {}\n")
		if status, _, errs := u.run(t, analyzers, "-fix"); status != 0 {
			t.Fatalf("status %d: %s", status, errs)
		}
		if got, want := u.read(t, "m.go"), "package m\nfunc   fresh()   {}\n"; got != want {
			t.Errorf("got %q, want only the name changed: %q", got, want)
		}
	})
}

func TestText(t *testing.T) {
	u := newUnit(t, oldSource)
	name := u.cfg.GoFiles[0]
	status, out, errs := u.run(t, []*analysis.Analyzer{renamer})
	if want := fmt.Sprintf("%s:3:6: R1 is old\n%[1]s:1:9: \tin this package\n", name); status != 1 || out != "" || errs != want {
		t.Errorf("status %d, %q, %q, want status 1 and %q", status, out, errs, want)
	}
	_, _, errs = u.run(t, []*analysis.Analyzer{renamer}, "-c=0")
	if !strings.Contains(errs, "\n3\tfunc old() {}\n") {
		t.Errorf("-c=0 prints %q, want the line itself", errs)
	}
	u.cfg.VetxOnly = true
	if status, out, errs := u.run(t, []*analysis.Analyzer{renamer}); status != 0 || out+errs != "" {
		t.Errorf("a unit that is only a dependency: status %d, %q, %q, want silence", status, out, errs)
	}
}

func TestJSON(t *testing.T) {
	u := newUnit(t, oldSource)
	status, out, errs := u.run(t, []*analysis.Analyzer{renamer}, "-json")
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %q, want findings on the standard output alone", status, errs)
	}
	var tree map[string]map[string][]struct {
		Category, Posn, End, Message string
		Fixes                        []struct {
			Message string
			Edits   []struct {
				Filename   string
				Start, End int
				New        string
			}
		} `json:"suggested_fixes"`
		Related []struct{ Posn, Message string }
	}
	if err := json.Unmarshal([]byte(out), &tree); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	list := tree["example.com/m"]["renamer"]
	if len(list) != 1 {
		t.Fatalf("got %s, want one finding", out)
	}
	d, name := list[0], u.cfg.GoFiles[0]
	if d.Category != "R1" || d.Posn != name+":3:6" || d.End != name+":3:9" || d.Message != "R1 is old" {
		t.Errorf("got %+v", d)
	}
	if len(d.Related) != 1 || d.Related[0].Posn != name+":1:9" {
		t.Errorf("related places: %+v, want the package clause", d.Related)
	}
	if len(d.Fixes) != 2 || len(d.Fixes[0].Edits) != 1 || d.Fixes[0].Edits[0].Start != 16 || d.Fixes[0].Edits[0].New != "fresh" {
		t.Errorf("fixes: %+v, want both, with offsets", d.Fixes)
	}

	u.write(t, "m.go", "package m\n")
	if _, out, _ := u.run(t, []*analysis.Analyzer{renamer}, "-json"); out != "{}\n" {
		t.Errorf("no findings: got %q, want an empty object", out)
	}
}

// TestEarlyExit gives the tool units that do not parse: those that must not be
// looked at succeed, and say of themselves whether an SDK is below.
func TestEarlyExit(t *testing.T) {
	handedDown := func(t *testing.T, u *testUnit, reaches bool) {
		data, err := (&factSet{}).encode(reaches)
		if err != nil {
			t.Fatal(err)
		}
		u.write(t, "dep.vetx", string(data))
		u.cfg.ImportMap = map[string]string{"example.com/dep": "example.com/dep"}
		u.cfg.PackageVetx = map[string]string{"example.com/dep": filepath.Join(u.dir, "dep.vetx")}
	}
	for _, test := range []struct {
		name    string
		prepare func(t *testing.T, u *testUnit)
		looked  bool // which is an error here
		reaches bool
	}{
		{"no dependency", func(t *testing.T, u *testUnit) {}, false, false},
		{"imports others", func(t *testing.T, u *testUnit) { u.cfg.ImportMap = map[string]string{"fmt": "fmt"} }, false, false},
		{"imports an SDK", func(t *testing.T, u *testUnit) { u.cfg.ImportMap = map[string]string{sdkPath: sdkPath} }, true, false},
		{"imports an SDK, vendored", func(t *testing.T, u *testUnit) {
			u.cfg.ImportMap = map[string]string{sdkPath: "example.com/m/vendor/" + sdkPath}
		}, true, false},
		{"depends on one that reaches an SDK", func(t *testing.T, u *testUnit) { handedDown(t, u, true) }, true, false},
		{"depends on one that does not", func(t *testing.T, u *testUnit) { handedDown(t, u, false) }, false, false},
		{"is an SDK, as a dependency", func(t *testing.T, u *testUnit) {
			u.cfg.ImportPath, u.cfg.VetxOnly = sdkPath, true
		}, false, true},
		{"is an SDK", func(t *testing.T, u *testUnit) { u.cfg.ImportPath = sdkPath }, true, true},
		{"belongs to a module with an SDK", func(t *testing.T, u *testUnit) { u.cfg.ModulePath = "example.com/m" }, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := newUnit(t, "package m\n\nfunc {\n")
			u.cfg.ModulePath = "" // else the module's go.mod counts
			test.prepare(t, u)
			status, out, errs := u.run(t, []*analysis.Analyzer{renamer})
			if looked := status != 0; looked != test.looked {
				t.Fatalf("status %d, looked at: %v, want %v\n%s", status, looked, test.looked, errs)
			}
			if test.looked {
				if !strings.Contains(errs, "m.go:3:6") {
					t.Errorf("the error is %q, want one about the source", errs)
				}
				if _, err := os.Stat(u.cfg.VetxOutput); err == nil {
					t.Error("facts were written of a unit that could not be read")
				}
				return
			}
			if out+errs != "" {
				t.Errorf("output %q %q, want none", out, errs)
			}
			known, err := readFacts(&config{PackageVetx: map[string]string{"m": u.cfg.VetxOutput}})
			if err != nil {
				t.Fatal(err)
			}
			if reaches := known["m"] != nil && known["m"].Reaches; reaches != test.reaches {
				t.Errorf("hands down that an SDK is below: %v, want %v", reaches, test.reaches)
			}
			if data := u.read(t, "vetx"); !test.reaches && data != "" {
				t.Errorf("facts are %q, want an empty file", data)
			}
		})
	}
}

// TestSucceedOnTypecheckFailure checks the go command's wish to hear of type
// errors from the compiler alone.
func TestSucceedOnTypecheckFailure(t *testing.T) {
	u := newUnit(t, "package m\n\nvar x int = \"\"\n")
	if status, _, errs := u.run(t, nil); status != 1 || !strings.Contains(errs, "m.go:3:13") {
		t.Errorf("status %d, %q, want the type error", status, errs)
	}
	u.cfg.SucceedOnTypecheckFailure = true
	if status, _, errs := u.run(t, nil); status != 0 || errs != "" {
		t.Errorf("status %d, %q, want silence", status, errs)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"lint"}, {"lint", "x.cfg"}, {"-C", "dir", "x.cfg"}, {"-flags", "lint"}, {"lint", "-flags"}, {"--version"}} {
		if _, ok := Main(args, io.Discard, io.Discard, nil); ok {
			t.Errorf("%q was taken for the go command's", args)
		}
	}
	for _, args := range [][]string{{"-json", "none.cfg"}, {"none.cfg"}, {"-unheard-of", "none.cfg"}} {
		if status, ok := Main(args, io.Discard, io.Discard, nil); !ok || status == 0 {
			t.Errorf("%q: status %d, %v, want a failure", args, status, ok)
		}
	}

	var out bytes.Buffer
	if status, ok := Main([]string{"-flags"}, &out, io.Discard, nil); !ok || status != 0 {
		t.Fatalf("-flags: status %d, %v", status, ok)
	}
	var flags []struct {
		Name string
		Bool bool
	}
	if err := json.Unmarshal(out.Bytes(), &flags); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(flags)
	if want := "[{c false} {diff true} {fix true} {json true}]"; got != want {
		t.Errorf("-flags: got %s, want %s", got, want)
	}

	out.Reset()
	if status, ok := Main([]string{"-V=full"}, &out, io.Discard, nil); !ok || status != 0 {
		t.Fatalf("-V=full: status %d, %v", status, ok)
	}
	// What cmd/go/internal/work.(*Builder).toolID requires of a tool.
	fields := strings.Fields(out.String())
	if len(fields) < 3 || fields[1] != "version" || fields[2] != "devel" || !strings.HasPrefix(fields[len(fields)-1], "buildID=") {
		t.Errorf("-V=full: got %q", out.String())
	}
}
