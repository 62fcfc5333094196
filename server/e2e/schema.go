package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract checks frames against shared/schema.json. The type of a frame names the definition in the schema.
type contract struct {
	durable   map[string]*jsonschema.Schema // by type
	ephemeral map[string]*jsonschema.Schema
}

var theContract = sync.OnceValues(loadContract)

func loadContract() (*contract, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "shared", "schema.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	var file struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Const any `json:"const"`
			} `json:"properties"`
			Required []string `json:"required"`
			AnyOf    []struct {
				Ref string `json:"$ref"`
			} `json:"anyOf"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &contract{durable: map[string]*jsonschema.Schema{}, ephemeral: map[string]*jsonschema.Schema{}}
	add := func(of string, into map[string]*jsonschema.Schema) error {
		for _, one := range file.Defs[of].AnyOf {
			name := filepath.Base(one.Ref)
			kind, isOne := file.Defs[name].Properties["type"].Const.(string)
			if !isOne {
				continue // EventFrame among the server's frames
			}
			if into[kind], err = compiler.Compile("schema.json#/$defs/" + name); err != nil {
				return fmt.Errorf("%s: %s: %w", path, name, err)
			}
		}
		return nil
	}
	if err := add("EventFrame", c.durable); err != nil {
		return nil, err
	}
	if err := add("ServerFrame", c.ephemeral); err != nil {
		return nil, err
	}
	if len(c.durable) == 0 || len(c.ephemeral) == 0 {
		return nil, fmt.Errorf("%s names no frames", path)
	}
	return c, nil
}

// check returns an error if a frame violates the schema, for example because a list or a map is null (P1.9).
func (c *contract) check(kind string, durable bool, frame []byte) error {
	in := c.ephemeral
	if durable {
		in = c.durable
	}
	schema := in[kind]
	if schema == nil {
		return fmt.Errorf("the schema has no frame of type %s (durable: %v)", kind, durable)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(frame))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
