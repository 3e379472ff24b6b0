package tool

import (
	"flag"
	"slices"
	"strings"
)

// Command takes the first argument as the name of one of the tool's commands.
// It is called before the flags are defined, since each command has its own:
//
//	switch cmd, err := t.Command("build", "search"); cmd {
//	case "build":
//		return build(ctx, t) // defines its flags and calls t.Parse
//	case "search":
//		return search(ctx, t)
//	default:
//		return err
//	}
//
// The run record then names the tool "mr-index build"; messages begin with
// "mr-index: " as ever.
func (t *Tool) Command(names ...string) (string, error) {
	t.commands = names
	want := strings.Join(names, " or ")
	if len(t.args) == 0 {
		return "", Misusef("expected a command: %s", want)
	}
	first := t.args[0]
	switch first {
	case "-h", "-help", "--help":
		return "", flag.ErrHelp
	case "-version", "--version":
		return "", errVersion
	}
	if !slices.Contains(names, first) {
		return "", Misusef("expected a command, %s, as the first argument, got %q", want, first)
	}
	t.command, t.args = first, t.args[1:]
	return first, nil
}

// full is the tool's name with its command.
func (t *Tool) full() string {
	if t.command == "" {
		return t.Name
	}
	return t.Name + " " + t.command
}
