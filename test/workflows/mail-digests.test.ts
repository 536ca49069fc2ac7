/** The day of the digests (decision §mails). */
import { expect, it, vi } from 'vitest';

const sent = vi.hoisted((): { day: string }[] => []);
vi.mock('@temporalio/workflow', () => {
  const proxyActivities = () =>
    new Proxy({}, { get: () => async (args: { day: string }) => sent.push(args) && { sent: 1, refused: 0 } });
  return {
    ActivityCancellationType: {},
    proxyActivities,
    proxyLocalActivities: proxyActivities,
    setCurrentDetails: () => {},
    workflowInfo: () => ({ startTime: new Date('2026-02-01T05:00:00Z') }),
  };
});

const { mailDigests } = await import('../../workflows/single-activity.ts');

it('is the one before the schedule started the run, however late its worker is', async () => {
  await mailDigests();
  expect(sent).toEqual([{ day: '2026-01-31' }]);
});
