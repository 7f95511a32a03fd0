package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal returns the two ends of a new pseudo terminal.
func openTerminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here:", err)
	}
	t.Cleanup(func() { screen.Close() })
	var locked, n int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &locked, syscall.TIOCGPTN: &n} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// TestTerminal checks that colours and progress are for terminals, and that no
// progress is left on the screen.
func TestTerminal(t *testing.T) {
	// onTerminal returns what a terminal gets from the linter on both streams.
	onTerminal := func(t *testing.T, env ...string) string {
		screen, tty := openTerminal(t)
		cmd := exec.Command(build(t), "lint", "./testdata/legacyserver/internal/consent")
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdout, cmd.Stderr = tty, tty
		read := make(chan string)
		go func() {
			var got bytes.Buffer
			_, _ = got.ReadFrom(screen) // ends in EIO when the last writer is gone
			read <- got.String()
		}()
		code := status(t, cmd.Run())
		tty.Close()
		out := <-read
		if code != 1 || !strings.Contains(out, "MRTR001") {
			t.Fatalf("status %d, want the finding:\n%s", code, out)
		}
		return out
	}
	const red, erase = "\x1b[31m", "\r\x1b[K"
	for _, test := range []struct {
		env              string
		colour, progress bool
	}{
		{"TERM=xterm", true, true},
		{"NO_COLOR=1", false, true},
		{"TERM=dumb", false, false},
	} {
		t.Run(test.env, func(t *testing.T) {
			out := onTerminal(t, test.env)
			if got := strings.Contains(out, red+"MRTR001"); got != test.colour {
				t.Errorf("coloured: %v, want %v: %q", got, test.colour, out)
			}
			if got := strings.Contains(out, "…"); got != test.progress {
				t.Errorf("shows progress: %v, want %v: %q", got, test.progress, out)
			}
			left := out[strings.LastIndex(out, "…")+1:]
			if test.progress && !strings.Contains(left, erase) {
				t.Errorf("progress is left on the screen: %q", out)
			}
		})
	}

	cmd := exec.Command(build(t), "lint", "./testdata/legacyserver/internal/consent")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	if out, err := cmd.CombinedOutput(); status(t, err) != 1 || bytes.ContainsAny(out, "\x1b…") {
		t.Errorf("no terminal: %q, want plain text", out)
	}
}
