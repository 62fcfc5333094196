package agents

import (
	"strings"
)

// api is the protocol by which a program talks to a model.
type api struct {
	read  func(body object) asked
	write func(a *answer, s Step)
}

// apiOf returns the API to which a path belongs, nil if a request to the path does not ask the model for an answer.
func apiOf(path string) *api {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return &api{readMessages, writeMessages}
	case strings.HasSuffix(path, "/responses"):
		return &api{readResponses, writeResponses}
	case strings.HasSuffix(path, "/chat/completions"):
		return &api{readChat, writeChat}
	case strings.HasSuffix(path, "enerateContent"):
		return &api{readContents, writeContents}
	}
	return nil
}

// at follows the keys into the nested objects of v and returns the value there, nil if there is none.
func at(v any, keys ...string) any {
	for _, key := range keys {
		o, _ := v.(object)
		v = o[key]
	}
	return v
}

func list(v any, keys ...string) []any {
	out, _ := at(v, keys...).([]any)
	return out
}

func text(v any, keys ...string) string {
	out, _ := at(v, keys...).(string)
	return out
}

// texts adds the texts of a message's content, which is one text or a list of parts with texts.
func (a *asked) texts(content any) {
	if s, ok := content.(string); ok {
		a.text(s)
	}
	parts, _ := content.([]any)
	for _, part := range parts {
		a.text(text(part, "text"))
	}
}

func begun(body object) asked {
	stream, _ := body["stream"].(bool)
	return asked{model: text(body, "model"), tools: len(list(body, "tools")) > 0, stream: stream}
}

// The functions below speak the Messages API of Anthropic.

func readMessages(body object) asked {
	a := begun(body)
	a.shaped = at(body, "output_config", "format") != nil || body["output_format"] != nil
	for _, m := range list(body, "messages") {
		if text(m, "role") == "user" {
			a.texts(at(m, "content"))
			continue
		}
		for _, part := range list(m, "content") {
			if text(part, "type") == "tool_use" {
				a.called++
			}
		}
	}
	return a
}

func writeMessages(a *answer, s Step) {
	stop, block := "end_turn", object{"type": "text", "text": ""}
	delta := object{"type": "text_delta", "text": s.Say}
	if s.Call != "" {
		stop = "tool_use"
		block = object{"type": "tool_use", "id": newID("toolu_"), "name": s.Call, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": string(encode(s.Input))}
	}
	message := object{
		"id": newID("msg_"), "type": "message", "role": "assistant", "model": a.model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{
			"input_tokens": tokensIn, "cache_read_input_tokens": tokensCached, "cache_creation_input_tokens": 0,
			"output_tokens": tokensOut,
		},
	}
	if !a.stream {
		block["text"], block["input"] = s.Say, s.Input
		if s.Call == "" {
			delete(block, "input")
		} else {
			delete(block, "text")
		}
		message["content"], message["stop_reason"] = []any{block}, stop
		a.whole(message)
		return
	}
	a.event("message_start", object{"message": message})
	a.event("content_block_start", object{"index": 0, "content_block": block})
	a.event("content_block_delta", object{"index": 0, "delta": delta})
	a.event("content_block_stop", object{"index": 0})
	a.event("message_delta", object{
		"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": tokensOut},
	})
	a.event("message_stop", object{})
}

// The functions below speak the Responses API of OpenAI.

func readResponses(body object) asked {
	a := begun(body)
	a.shaped = at(body, "text", "format", "schema") != nil
	for _, item := range list(body, "input") {
		switch text(item, "type") {
		case "function_call", "custom_tool_call":
			a.called++
		case "message", "":
			if text(item, "role") == "user" {
				a.texts(at(item, "content"))
			}
		}
	}
	return a
}

func writeResponses(a *answer, s Step) {
	item := object{
		"type": "message", "id": newID("msg_"), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": s.Say, "annotations": []any{}}},
	}
	if s.Call != "" {
		call := object{"call_id": newID("call_"), "status": "completed", "name": s.Call}
		if input, ok := s.Input.(string); ok {
			call["type"], call["id"], call["input"] = "custom_tool_call", newID("ctc_"), input
		} else {
			call["type"], call["id"], call["arguments"] = "function_call", newID("fc_"), string(encode(s.Input))
		}
		if space, name, ok := strings.Cut(s.Call, "."); ok {
			call["namespace"], call["name"] = space, name
		}
		item = call
	}
	id := newID("resp_")
	done := object{
		"id": id, "object": "response", "status": "completed", "model": a.model, "output": []any{item},
		"usage": object{
			"input_tokens": tokensIn + tokensCached, "input_tokens_details": object{"cached_tokens": tokensCached},
			"output_tokens": tokensOut, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": tokensIn + tokensCached + tokensOut,
		},
	}
	if !a.stream {
		a.whole(done)
		return
	}
	a.event("response.created", object{"response": object{"id": id, "status": "in_progress", "output": []any{}}})
	if s.Call == "" {
		a.event("response.output_item.added", object{"output_index": 0, "item": object{
			"type": "message", "id": item["id"], "role": "assistant", "status": "in_progress", "content": []any{},
		}})
		a.event("response.output_text.delta", object{
			"item_id": item["id"], "output_index": 0, "content_index": 0, "delta": s.Say,
		})
	}
	a.event("response.output_item.done", object{"output_index": 0, "item": item})
	a.event("response.completed", object{"response": done})
}

// The functions below speak the Chat Completions API of OpenAI.

func readChat(body object) asked {
	a := begun(body)
	a.shaped = at(body, "response_format", "json_schema") != nil
	for _, m := range list(body, "messages") {
		a.called += len(list(m, "tool_calls"))
		if text(m, "role") == "user" {
			a.texts(at(m, "content"))
		}
	}
	return a
}

func writeChat(a *answer, s Step) {
	message, finish := object{"role": "assistant", "content": s.Say}, "stop"
	if s.Call != "" {
		finish = "tool_calls"
		message["content"] = ""
		message["tool_calls"] = []any{object{
			"index": 0, "id": newID("call_"), "type": "function",
			"function": object{"name": s.Call, "arguments": string(encode(s.Input))},
		}}
	}
	usage := object{
		"prompt_tokens": tokensIn + tokensCached, "completion_tokens": tokensOut,
		"total_tokens":          tokensIn + tokensCached + tokensOut,
		"prompt_tokens_details": object{"cached_tokens": tokensCached},
	}
	out := object{"id": newID("chatcmpl-"), "created": 1, "model": a.model}
	if !a.stream {
		out["object"], out["usage"] = "chat.completion", usage
		out["choices"] = []any{object{"index": 0, "message": message, "finish_reason": finish}}
		a.whole(out)
		return
	}
	out["object"] = "chat.completion.chunk"
	out["choices"] = []any{object{"index": 0, "delta": message, "finish_reason": nil}}
	a.event("", out)
	out["choices"] = []any{object{"index": 0, "delta": object{}, "finish_reason": finish}}
	a.event("", out)
	out["choices"], out["usage"] = []any{}, usage
	a.event("", out)
	_, _ = a.w.Write([]byte("data: [DONE]\n\n"))
}

// The functions below speak the generateContent API of Gemini.

func readContents(body object) asked {
	a := begun(body)
	a.tools = false
	for _, tool := range list(body, "tools") {
		a.tools = a.tools || len(list(tool, "functionDeclarations")) > 0
	}
	config := at(body, "generationConfig")
	a.shaped = at(config, "responseJsonSchema") != nil || at(config, "responseSchema") != nil
	for _, c := range list(body, "contents") {
		for _, part := range list(c, "parts") {
			switch {
			case at(part, "functionCall") != nil:
				a.called++
			case text(c, "role") == "user":
				a.text(text(part, "text"))
			}
		}
	}
	return a
}

func writeContents(a *answer, s Step) {
	part := object{"text": s.Say}
	if s.Call != "" {
		part = object{"functionCall": object{"id": newID("call_"), "name": s.Call, "args": s.Input}}
	}
	out := object{
		"candidates": []any{object{
			"index": 0, "content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP",
		}},
		"usageMetadata": object{
			"promptTokenCount": tokensIn + tokensCached, "cachedContentTokenCount": tokensCached,
			"candidatesTokenCount": tokensOut, "totalTokenCount": tokensIn + tokensCached + tokensOut,
		},
		"modelVersion": "played",
	}
	if a.stream {
		a.event("", out)
	} else {
		a.whole(out)
	}
}
