/**
 * Several control planes in a seeded simulation: real controllers and coordinators of claims on
 * virtual time, with one shared store and one storage system. Begin with {@link
 * io.csi4j.volume.controller.sim.PlaneSimulationTest}, or with {@code
 * volume-manager/controller/simulate}. {@link io.csi4j.volume.controller.sim.Judge} holds what must
 * be so whatever happens.
 */
package io.csi4j.volume.controller.sim;
