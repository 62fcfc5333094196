package forge

import (
	"slices"

	"agentdungeon/shared/world"
)

// State is the state of a forge (S1-B1).
type State string

// The states of document 001.
const (
	Idle             State = "idle"
	IntentDetection  State = "intent_detection"
	CheckingExisting State = "checking_existing"
	GatheringPurpose State = "gathering_purpose"
	GatheringDetails State = "gathering_details"
	ConfirmingSpec   State = "confirming_spec"
	Generating       State = "generating"
	Validating       State = "validating"
	FixingErrors     State = "fixing_errors"
	SelectingStorage State = "selecting_storage"
	Saving           State = world.ForgeSaving
	Completed        State = "completed"
	Error            State = "error"
)

// Moves lists all moves between states. An error of saving leads to the state error (S1-B2). Every other error leads to
// gathering_details, where the person can say more and the forge keeps all answers. Starting over leads to
// gathering_purpose.
var Moves = map[State][]State{
	Idle:             {IntentDetection, GatheringDetails},
	IntentDetection:  {GatheringPurpose, GatheringDetails},
	GatheringPurpose: {CheckingExisting, GatheringDetails},
	CheckingExisting: {GatheringPurpose, GatheringDetails, Completed},
	GatheringDetails: {GatheringPurpose, ConfirmingSpec, Generating},
	ConfirmingSpec:   {GatheringPurpose, GatheringDetails, Generating},
	Generating:       {GatheringPurpose, GatheringDetails, Validating},
	Validating:       {GatheringPurpose, GatheringDetails, FixingErrors, SelectingStorage},
	FixingErrors:     {GatheringPurpose, GatheringDetails, Validating},
	SelectingStorage: {GatheringPurpose, GatheringDetails, Saving},
	Saving:           {Completed, Error},
	Error:            {GatheringPurpose, GatheringDetails, Saving},
	Completed:        {},
}

// May reports whether a forge can move directly from the state from to the state to.
func May(from, to State) bool { return slices.Contains(Moves[from], to) }

// Known reports whether s is one of the states.
func (s State) Known() bool { _, ok := Moves[s]; return ok }
