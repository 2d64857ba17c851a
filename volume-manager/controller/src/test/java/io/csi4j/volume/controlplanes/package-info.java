/**
 * Contention for a catalog, for real: control planes in processes of their own share one etcd or
 * PostgreSQL and one plugin, and are killed, stopped and cut off meanwhile, as the servers are.
 * Each process writes down what it asks and what it is answered; the plugin has a journal of its
 * calls. Begin with {@code ControlPlaneRounds}; {@code ControlPlaneCheck} says what has to hold.
 */
package io.csi4j.volume.controlplanes;
