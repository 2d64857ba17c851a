/**
 * The kill rig: the real engine in a process of its own, real mounts, a plugin in another process.
 * The process of the engine is killed at named moments and followed by another one; then the
 * kernel's own table is read. Begin with {@code KillWorld}.
 */
package io.csi4j.volume.kill;
