/** That of the server with which it is released; a test compares it with package.json. */
export const CLIENT_VERSION = '0.1.0'
