/** Workflow files that end in every way, without a model of anyone. */
export const workflows: Readonly<Record<string, string>> = {
  'refund.yaml': `workflow:
  name: refund
  entry_point: note
  limits: {max_iterations: 10}
  input: {age: {type: number, required: true}}
agents:
  - {name: note, type: set, value: "{{ workflow.input.age }}", routes: [{to: fetch}]}
  - name: fetch
    type: script
    command: echo
    args: ['{"age_days": {{ workflow.input.age }}}']
    routes: [{to: done, when: "age_days <= 30"}, {to: refuse, when: "age_days > 90"}, {to: review}]
  - {name: refuse, type: terminate, status: failed, reason: "order is {{ fetch.output.age_days }} days old", output_template: {refunded: "false"}}
  - {name: done, type: terminate, status: success, reason: fresh}
  - name: review
    type: human_gate
    prompt: "Refund an order of {{ workflow.input.age }} days?"
    options: [{label: "Yes", value: approve, route: done}, {label: "No", value: reject, route: refuse}]
output: {age: "{{ workflow.input.age }}"}
`,
  'loop.yaml': `workflow: {name: loop, entry_point: one, limits: {max_iterations: 4}}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: set, value: y, routes: [{to: one}]}
`,
  'slow.yaml': `workflow: {name: slow, entry_point: note}
agents:
  - {name: note, type: set, value: begun, routes: [{to: nap}]}
  - {name: nap, type: script, command: sleep, args: ["30"], routes: [{to: $end}]}
output: {note: "{{ note.output }}"}
`,
  'ask.yaml': `workflow: {name: ask, entry_point: writer}
agents:
  - {name: writer, prompt: Write something, routes: [{to: $end}]}
output: {text: "{{ writer.output.result }}"}
`,
  'deadline.yaml': `workflow: {name: late, entry_point: review}
agents:
  - name: review
    type: human_gate
    prompt: In time?
    deadline: 5s
    options: [{label: "Yes", value: "yes", route: $end}]
`,
  'broken.yaml': `workflow: {name: broken, entry_point: nowhere}
agents:
  - {name: one, type: sett, value: x}
`,
  'busy.script.yaml': `answers:
  writer:
    - error: {status: 503}
    - error: {status: 503}
    - error: {status: 503}
    - error: {status: 503}
    - text: at last
`,
  'good.script.yaml': `answers:
  writer: [{text: Hello, usage: {inputTokens: 100, outputTokens: 20}}]
`,
};
