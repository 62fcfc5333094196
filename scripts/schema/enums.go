package main

import (
	"reflect"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// enums maps a string field, as "Definition.field", to all its values. Fields that may get new
// values in a later version (an activity, the code of a failed run) are not in it.
var enums = map[string][]string{
	"Agent.kind":                {world.KindHuman, world.KindAgent},
	"Casting.kind":              {world.KindHuman, world.KindAgent, world.KindOpen},
	"Member.type":               {world.KindHuman, world.KindAgent},
	"Agent.status":              {world.AgentIdle, world.AgentRunning},
	"Finding.severity":          world.Severities,
	"Finding.confidence":        world.Confidences,
	"Finding.reach":             world.Reaches,
	"TemplateInfo.driver":       {wire.DriverNone, wire.DriverScout, wire.DriverScript, wire.DriverModel},
	"Quest.status":              {world.QuestOpen, world.QuestAssigned, world.QuestProgress, world.QuestDone},
	"Quest.priority":            {"low", "medium", "high"},
	"Message.role":              {world.RoleUser, world.RoleAssistant, world.RoleTool, world.RoleSystem},
	"Message.status":            {world.MessageOpen, world.MessageDone, world.MessageCancelled, world.MessageInterrupted, world.MessageError},
	"Run.status":                runStatuses,
	"ChatStarted.status":        runStatuses,
	"ChatRepeated.status":       runStatuses,
	"Conversation.status":       conversationStatuses,
	"ConversationStatus.status": conversationStatuses,
	"ConversationView.status":   conversationStatuses,
	"ConversationInfo.status":   conversationStatuses,
	"Snapshot.status":           conversationStatuses,
	"SegmentClosed.reason": {world.ClosedByTool, world.ClosedBySystem, world.ClosedByDone, world.ClosedByError,
		world.ClosedByCancel, world.ClosedByInterrupt},
	"ChatCancelled.reason": {world.CancelPerson, world.CancelNewMessage, world.CancelInterrupted, world.CancelSkipped,
		world.CancelStage, world.CancelDismissed},
	"ProcessState.status": {world.StatusIdle, world.StatusRunning, world.StatusPaused, world.StatusCompleted},
	"Waiting.code":        {world.WaitRoleOpen, world.WaitApproval, world.WaitTurnFailed},
	"Stage.structure":     {world.StructSequential, world.StructParallel, world.StructSingle},
	"Stage.movement":      {world.MoveOutward, world.MoveInward},
	"Stage.completion":    {world.CompleteTurns, world.CompleteSignal},
	"RealmRestored.source": {world.RestoredFromCheckpoint, world.RestoredFromPrevious, world.RestoredFromBase,
		world.RestoredFromJournal, world.RestoredFromState, world.RestoredFromNothing},

	"Fort.biome":        world.Biomes,
	"RoomObject.what":   {wire.ChangeCreated, wire.ChangeChanged, wire.ChangeRenamed},
	"FileChange.what":   {wire.ChangeCreated, wire.ChangeChanged, wire.ChangeRenamed, wire.ChangeRemoved},
	"MapChanged.moment": {wire.MomentCommit, wire.MomentSwitch, wire.MomentAway, wire.MomentBack, wire.MomentScan},

	"ServerInfo.gamePhase":  {wire.PhaseOnboarding, wire.PhaseAnalyzing, wire.PhasePlaying},
	"ServerInfo.role":       roles,
	"Spectator.role":        roles,
	"SpectatorWelcome.role": roles,
	"Welcome.continuity":    {wire.ContinuityReplay, wire.ContinuitySnapshot, wire.ContinuityNone},
	"Welcome.reason": {wire.SnapshotFirst, wire.SnapshotUnknownEpoch, wire.SnapshotFuture, wire.SnapshotDiverged,
		wire.SnapshotTrimmed, wire.SnapshotErased, wire.SnapshotTooFar, wire.SnapshotDamaged, wire.SnapshotSwitched},
	"SaveStatus.state": {wire.SaveSaved, wire.SaveSlow, wire.SaveFailing, wire.SaveBroken},
}

var roles = []string{wire.RoleHost, wire.RoleSpectator}

var runStatuses = []string{
	world.RunRunning, world.RunDone, world.RunError, world.RunCancelled, world.RunInterrupted, world.RunTimeout,
}

var conversationStatuses = []string{
	world.ConversationActive, world.ConversationQueued, world.ConversationPaused, world.ConversationInterrupted,
	world.ConversationCompleted, world.ConversationAbandoned, world.ConversationFailed,
}

var codes = []string{
	string(wire.BadJSON), string(wire.UnknownType), string(wire.BadField), string(wire.NotFound),
	string(wire.NotAllowed), string(wire.Conflict), string(wire.TooLarge), string(wire.RateLimited),
	string(wire.NotReady), string(wire.Unsaved), string(wire.Internal),
}

// names maps a Go type to the name of its definition in the schema where the two differ.
var names = map[reflect.Type]string{
	reflect.TypeFor[wire.Object](): "RoomObject", // world.Object already has the name Object
	reflect.TypeFor[world.View]():  "ConversationView",
	reflect.TypeFor[world.State](): "World",
}
