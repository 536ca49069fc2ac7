/** Preloaded into the processes of a service: its own worker says that it is ready, and does nothing. The bench starts others. */
if (/[\\/]bin[\\/]worker\.ts$/.test(process.argv[1] ?? '') && process.send) {
  const end = () => process.exit(0);
  process.once('SIGTERM', end);
  process.once('disconnect', end);
  process.send({ type: 'ready' });
  // The program itself waits for what is preloaded.
  await new Promise<never>(() => {});
}
