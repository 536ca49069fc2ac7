/** The version of package.json, for the API description, `/health`, traces and the build IDs of workers. */
import manifest from '../../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
