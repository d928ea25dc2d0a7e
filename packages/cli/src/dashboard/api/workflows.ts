import { z } from 'zod';

/** A workflow file of the folder that the server was started in. */
export const workflowFileSchema = z.object({
  file: z.string().describe('Relative to the folder of the server; its name in addresses.'),
  name: z.string().optional().describe('Absent where the file cannot be used.'),
  description: z.string().optional(),
  problem: z.string().optional().describe('Why it cannot be used.'),
});

export type WorkflowFile = z.infer<typeof workflowFileSchema>;

export const workflowListSchema = z.object({
  workflows: z.array(workflowFileSchema).readonly(),
  complete: z.boolean(),
});

export type WorkflowList = z.infer<typeof workflowListSchema>;

/** The inputs of a workflow, to make a form of. */
export const workflowFormSchema = z
  .object({
    file: z.string(),
    name: z.string(),
    description: z.string().optional(),
    inputs: z
      .array(
        z.object({
          name: z.string(),
          type: z.enum(['array', 'boolean', 'number', 'object', 'string']),
          required: z.boolean(),
          default: z.unknown().optional(),
          description: z.string().optional(),
        }),
      )
      .readonly(),
    warnings: z.array(z.string()).readonly(),
  })
  .meta({ id: 'WorkflowForm' });

export type WorkflowForm = z.infer<typeof workflowFormSchema>;
