package vetunit

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Main runs the tool if args are those that the go command gives a vet tool:
// -V=full, -flags, or flags and the path of one unit's configuration. It
// returns the exit status, and false if the arguments are none of these.
func Main(args []string, stdout, stderr io.Writer, analyzers []*analysis.Analyzer) (status int, ok bool) {
	if len(args) == 0 {
		return 0, false
	}
	switch last := args[len(args)-1]; {
	case len(args) == 1 && last == "-V=full":
		return describe(stdout, stderr), true
	case len(args) == 1 && last == "-flags":
		return describeFlags(stdout, stderr), true
	case !strings.HasSuffix(last, ".cfg") || !onlyFlags(args[:len(args)-1]):
		return 0, false
	}
	flags, opts := newFlags()
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		return 2, true
	}
	cfg, err := readConfig(flags.Arg(0))
	if err == nil {
		status, err = run(cfg, opts, stdout, stderr, analyzers)
	}
	if err != nil {
		fmt.Fprintln(stderr, "mrtr-migrate:", err)
		return 1, true
	}
	return status, true
}

// onlyFlags reports whether args can be what the go command puts before the
// configuration: a subcommand's arguments may end in .cfg, too.
func onlyFlags(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// options are the flags of go vet that this tool knows.
type options struct {
	json    bool
	context int
	fix     bool
	diff    bool
}

func newFlags() (*flag.FlagSet, *options) {
	flags, opts := flag.NewFlagSet("mrtr-migrate", flag.ContinueOnError), new(options)
	flags.BoolVar(&opts.json, "json", false, "print findings as JSON")
	flags.BoolVar(&opts.fix, "fix", false, "apply the first fix of each finding instead of printing it")
	flags.BoolVar(&opts.diff, "diff", false, "with -fix, print the changes instead of applying them")
	flags.IntVar(&opts.context, "c", -1, "print the offending line and N lines around it")
	return flags, opts
}

// describe tells the go command which tool this is: its cache must not hand out
// what another build of it found.
func describe(stdout, stderr io.Writer) int {
	path, err := os.Executable()
	if err != nil {
		fmt.Fprintln(stderr, "mrtr-migrate:", err)
		return 2
	}
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(stderr, "mrtr-migrate:", err)
		return 2
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		fmt.Fprintln(stderr, "mrtr-migrate:", err)
		return 2
	}
	fmt.Fprintf(stdout, "%s version devel comments-go-here buildID=%02x\n", filepath.Base(path), h.Sum(nil))
	return 0
}

// describeFlags tells the go command which flags it may pass on.
func describeFlags(stdout, stderr io.Writer) int {
	type known struct {
		Name  string
		Bool  bool
		Usage string
	}
	list := []known{}
	flags, _ := newFlags()
	flags.VisitAll(func(f *flag.Flag) {
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		list = append(list, known{f.Name, ok && b.IsBoolFlag(), f.Usage})
	})
	if err := json.NewEncoder(stdout).Encode(list); err != nil {
		fmt.Fprintln(stderr, "mrtr-migrate:", err)
		return 2
	}
	return 0
}
