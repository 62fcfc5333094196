package main

import (
	"errors"
	"fmt"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"agentdungeon/server/agent/model"
)

// tokenFlags has the two flags by which every command takes a token: the token itself, or a file with it. Other users
// of the machine can read a command line, but not the file.
type tokenFlags struct{ token, file string }

// define adds the flags to the command. does describes the token.
func (o *tokenFlags) define(c *cobra.Command, does string) {
	c.Flags().StringVar(&o.token, "token", "", does)
	c.Flags().StringVar(&o.file, "token-file", "", "`file` (mode 0600) with the token, in place of -token")
}

// read returns the token, "" for none.
func (o *tokenFlags) read(files afero.Fs) (string, error) {
	switch {
	case o.file == "":
		return o.token, nil
	case o.token != "":
		return "", usageError{errors.New("the token is given twice: by -token or AGENTDUNGEON_TOKEN, and by -token-file")}
	}
	token, err := model.ReadSecret(files, "the token file", o.file)
	if err != nil {
		return "", usageError{fmt.Errorf("-token-file: %w", err)}
	}
	return token, nil
}
