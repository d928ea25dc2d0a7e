/** The files that `init` writes: a workflow with a model that answers from a script, so that it runs at once and without a key. */
export const starterFiles: Readonly<Record<string, string>> = {
  'triage.yaml': `# A starter workflow. Try it:
#   fullstop run triage.yaml --scripted triage.script.yaml -i ticket="My parcel never came"
#   fullstop why
workflow:
  name: triage
  description: Decides what becomes of a support ticket
  entry_point: classify
  input:
    ticket:
      type: string
      required: true
      description: What the customer wrote
  limits:
    max_iterations: 10

agents:
  - name: classify
    description: Says what the ticket is about and how sure it is
    prompt: |
      Classify this support ticket: {{ workflow.input.ticket }}
    output:
      topic:
        type: string
        description: delivery, billing or other
      confidence:
        type: number
        description: From 0 to 1
    routes:
      - to: unclear
        when: "{{ classify.output.confidence < 0.5 }}"
      - to: reply

  - name: reply
    type: set
    value: "We look into your {{ classify.output.topic }} question and come back to you today."
    routes:
      - to: $end

  - name: unclear
    type: terminate
    status: failed
    reason: "only {{ classify.output.confidence }} sure that it is about {{ classify.output.topic }}"

output:
  topic: "{{ classify.output.topic }}"
  reply: "{{ reply.output | default('') }}"
`,
  'triage.script.yaml': `# What the model answers, by the name of the step that asks. Replace --scripted by --provider and --model for a real one.
answers:
  classify:
    - output: { topic: delivery, confidence: 0.93 }
      usage: { inputTokens: 212, outputTokens: 18 }
exhausted: repeat-last
`,
};
