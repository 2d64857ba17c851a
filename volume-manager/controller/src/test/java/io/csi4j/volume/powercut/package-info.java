/**
 * The power-cut rig. A host with a manager, claims, a catalog and a plugin works on a disk of which
 * every write is logged; from the log, disks are made as a power cut could have left them, mounted
 * by the kernel, and opened by all that had its state there. Begin with {@code PowerCutRig}; {@code
 * testing/powercut} runs it for as long as is asked for.
 */
package io.csi4j.volume.powercut;
