/** Made for another server. */
export default { name: 'other-api', version: '1.0.0', api: 2, title: 'Other', description: 'Made for another server.' }
