package io.csi4j.volume.sim;

import io.csi4j.mount.model.MountPath;
import io.csi4j.volume.internal.link.Answer;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.VolumeEvent;
import java.nio.file.Path;

/** Sees everything that goes through a port, and everything that the host is told. */
interface Watch {

  /** A call is about to reach a plugin. */
  default void sent(SimPlugin plugin, Life life, SimPlugin.Call call) {}

  /** The manager is about to learn how a call ended. */
  default void answered(SimPlugin plugin, Life life, SimPlugin.Call call, Answer answer) {}

  /** A plugin did something that nobody could expect any more. */
  default void rogue(SimPlugin.Call call) {}

  /** Somebody else took a mount away. */
  default void takenAway(MountPath path) {}

  /** The manager looked at the mount table, at this path or everything below it. */
  default void lookedForMounts(MountPath path) {}

  /** The manager changed the mount table itself. */
  default void unmounted(MountPath path) {}

  /** The manager is about to unmount a dead mount itself. */
  default void deadUnmounted(MountPath path) {}

  /** The manager touches a path. */
  default void looked(String what, Path path) {}

  /** The manager deletes a file. */
  default void deleted(Path path) {}

  /** The manager removes a directory. */
  default void removed(Path path) {}

  /** The manager writes something down. */
  default void written(String where, byte[] bytes) {}

  /** The host is told that a workload has its volume. */
  default void told(VolumeUse usage, MountedVolume volume) {}

  /** The host is told that a use has this context now. */
  default void refreshed(VolumeUse usage, String context) {}

  /** The host is told that a use is no more. */
  default void released(VolumeUse usage) {}

  /** The host is told that something failed. */
  default void failed(VolumeUse usage, Throwable failure) {}

  /** The host is told what happens. */
  default void event(Life life, VolumeEvent event) {}

  /** The process of the host has ended, and all that it was doing. */
  default void died() {}

  /** What was mounted in another place says nothing any more. */
  default void moved() {}

  /** Everything is over: nothing is wanted, and everybody is healthy. */
  default void end() {}
}
