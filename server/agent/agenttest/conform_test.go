package agenttest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// run is a driver that is a function.
type run func(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error

func (f run) Run(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	return f(ctx, turn, emit)
}

func sample() Turns {
	return Turns{
		Good:     &driver.Turn{StageID: "good"},
		Fails:    &driver.Turn{StageID: "fails"},
		FailCode: "model",
		Stalls:   &driver.Turn{StageID: "stalls"},
		Huge:     &driver.Turn{StageID: "huge"}, HugeBytes: 64 << 20,
	}
}

var piece = strings.Repeat("stone ", 1<<10)

// sound is a driver without faults.
func sound(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
	switch turn.StageID {
	case "good":
		for _, w := range []string{"one ", "two ", "three"} {
			if err := emit(driver.Chunk{Text: w}); err != nil {
				return err
			}
		}
		return emit(driver.Chunk{Finding: &world.Finding{Severity: "low", Title: "a title"}})
	case "fails":
		return &driver.TurnError{Code: "model", Message: "the model is away"}
	case "stalls":
		<-ctx.Done()
		return ctx.Err()
	default:
		for n := 0; n < 64<<20; n += len(piece) {
			if err := emit(driver.Chunk{Text: piece}); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestConformTakesASoundDriver(t *testing.T) {
	Conform(t, func() driver.Driver { return run(sound) }, sample())
}

// The check for each fault detects it.
func TestConformSeesFaults(t *testing.T) {
	say := func(ctx context.Context, emit func(driver.Chunk) error, words ...string) error {
		for _, w := range words {
			if err := emit(driver.Chunk{Text: w}); err != nil {
				return err
			}
		}
		return nil
	}
	type fault struct {
		name, check, want string
		run               run
	}
	for _, f := range []fault{
		{"silent", "a good turn streams", "without a word", func(context.Context, driver.Turn, func(driver.Chunk) error) error { return nil }},
		{"not streamed", "a good turn streams", "not streamed", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return say(ctx, emit, "all at once")
		}},
		{"empty chunk", "a good turn streams", "0 fields set", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return say(ctx, emit, "a ", "", "b")
		}},
		{"two fields", "a good turn streams", "2 fields set", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return emit(driver.Chunk{Text: "a", Thought: "b"})
		}},
		{"tool without an end", "a good turn streams", "has no end", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return errors.Join(say(ctx, emit, "a ", "b"), emit(driver.Chunk{Tool: &driver.ToolStart{CallID: "1", Name: "look"}}))
		}},
		{"end without a tool", "a good turn streams", "not running", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return errors.Join(say(ctx, emit, "a ", "b"), emit(driver.Chunk{ToolEnd: &driver.ToolEnd{CallID: "1"}}))
		}},
		{"one callId twice", "a good turn streams", "two tools", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			for range 2 {
				if err := errors.Join(emit(driver.Chunk{Tool: &driver.ToolStart{CallID: "1", Name: "look"}}), emit(driver.Chunk{ToolEnd: &driver.ToolEnd{CallID: "1"}})); err != nil {
					return err
				}
			}
			return say(ctx, emit, "a ", "b")
		}},
		{"tool without a name", "a good turn streams", "no name", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return errors.Join(emit(driver.Chunk{Tool: &driver.ToolStart{CallID: "1"}}), emit(driver.Chunk{ToolEnd: &driver.ToolEnd{CallID: "1"}}), say(ctx, emit, "a ", "b"))
		}},
		{"unknown severity", "a good turn streams", "severity", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return emit(driver.Chunk{Finding: &world.Finding{Severity: "awful", Title: "a"}})
		}},
		{"leaves a goroutine", "a good turn streams", "goroutines running", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			go time.Sleep(time.Hour)
			return say(ctx, emit, "a ", "b")
		}},
		{"emits twice at once", "a good turn streams", "two goroutines at once", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { _ = say(ctx, emit, "a ", "b") })
			}
			wg.Wait()
			return nil
		}},
		{"emits after its end", "a good turn streams", "after Run has returned", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			go func() {
				time.Sleep(time.Second)
				_ = emit(driver.Chunk{Text: "and another thing"})
			}()
			return nil
		}},
		{"begins although cancelled", "cancelled before it begins", "counts as done", func(context.Context, driver.Turn, func(driver.Chunk) error) error { return nil }},
		{"deaf", "cancelled while it waits", "goes on after", func(context.Context, driver.Turn, func(driver.Chunk) error) error {
			time.Sleep(2 * time.Hour)
			return errors.New("at last")
		}},
		{"cancelled is done", "cancelled while it waits", "counts as done", func(ctx context.Context, _ driver.Turn, _ func(driver.Chunk) error) error {
			<-ctx.Done()
			return nil
		}},
		{"slow to end", "cancelled while emit blocks", "goes on after", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			err := emit(driver.Chunk{Text: "a"})
			time.Sleep(time.Second)
			return err
		}},
		{"talks on", "emit fails", "again after it has failed", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return errors.Join(emit(driver.Chunk{Text: "a"}), emit(driver.Chunk{Text: "b"}))
		}},
		{"refused is done", "emit fails", "counts as done", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			_ = emit(driver.Chunk{Text: "a"})
			return nil
		}},
		{"failure is done", "a failed turn", "counts as done", func(context.Context, driver.Turn, func(driver.Chunk) error) error { return nil }},
		{"failure without a code", "a failed turn", "has no code", func(context.Context, driver.Turn, func(driver.Chunk) error) error {
			return errors.New("it broke")
		}},
		{"failure with another code", "a failed turn", `not "model"`, func(context.Context, driver.Turn, func(driver.Chunk) error) error {
			return &driver.TurnError{Code: "limit", Message: "too long"}
		}},
		{"hoards", "a huge answer", "heap grew", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			var kept []string
			for n := 0; n < 64<<20; n += len(piece) {
				kept = append(kept, strings.Clone(piece))
				if err := emit(driver.Chunk{Text: kept[len(kept)-1]}); err != nil {
					return err
				}
			}
			return nil
		}},
		{"gives up early", "a huge answer", "bytes, not", func(ctx context.Context, _ driver.Turn, emit func(driver.Chunk) error) error {
			return say(ctx, emit, "a ", "b")
		}},
		{"mixes turns", "two turns at once", "beside another turn", func(ctx context.Context, turn driver.Turn, emit func(driver.Chunk) error) error {
			return say(ctx, emit, "in ", turn.RealmID)
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, c := range checks {
					if c.name != f.check {
						continue
					}
					err := c.run(func() driver.Driver { return f.run }, sample())
					outlast()
					if err == nil || !strings.Contains(err.Error(), f.want) {
						t.Fatalf("the check says %v, want %q", err, f.want)
					}
					return
				}
				t.Fatalf("there is no check %q", f.check)
			})
		})
	}
}
