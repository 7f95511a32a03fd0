package vetunit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mrtr-migrate/mrtr-migrate/analyzer"
)

// A config describes one unit, as the go command does.
type config struct {
	ID                        string
	ImportPath                string
	GoVersion                 string
	GoFiles                   []string
	NonGoFiles                []string
	IgnoredFiles              []string
	ModulePath                string
	ModuleVersion             string
	ImportMap                 map[string]string // import path in the source → package path
	PackageFile               map[string]string // package path → export data
	Standard                  map[string]bool
	PackageVetx               map[string]string // package path → what this tool wrote for it
	VetxOnly                  bool              // a dependency: facts, no findings
	VetxOutput                string
	Stdout                    string // file that takes what would go to the standard output
	FixArchive                string // zip file that takes fixed files, which the go command writes in the end
	SucceedOnTypecheckFailure bool
}

func readConfig(name string) (*config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	cfg := new(config)
	if err := json.Unmarshal(data, cfg); err != nil {
		return nil, fmt.Errorf("%s is not the configuration of a unit: %w", name, err)
	}
	return cfg, nil
}

// needed reports whether the unit has to be looked at, and whether an SDK is
// among its dependencies. It asks what mrtr-migrate lint asks, so both say the
// same of a package.
func needed(cfg *config, known map[string]*facts) (look, reaches bool) {
	for _, path := range cfg.ImportMap {
		if analyzer.IsSDK(path) {
			reaches = true
		}
		if f := known[path]; f != nil && f.Reaches {
			reaches = true
		}
	}
	if analyzer.IsSDK(cfg.ImportPath) {
		// What others need of it stands in the analyzer's table.
		return !cfg.VetxOnly, true
	}
	if reaches {
		return true, true
	}
	return len(cfg.GoFiles) > 0 && analyzer.InScope(cfg.ModulePath, filepath.Dir(cfg.GoFiles[0])), false
}
