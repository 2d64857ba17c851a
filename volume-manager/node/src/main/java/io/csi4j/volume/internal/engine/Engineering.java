package io.csi4j.volume.internal.engine;

import io.csi4j.volume.internal.engine.Operation.Wish;
import io.csi4j.volume.internal.lifecycle.Failure;
import io.csi4j.volume.internal.record.Tombstone;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.UsageKey;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.node.VolumeEvent;
import java.util.Optional;

/** What the volumes need of the engine. */
interface Engineering {

  /** Whether the host has said what it wants. */
  boolean heardFromHost();

  /** Whether no new operations are begun. */
  boolean isClosing();

  /** Whether no new steps are made. */
  boolean isStopped();

  /** Whether nothing new is mounted with a plugin. */
  boolean isDrained(PluginId plugin);

  /** The number of the last time that a use was asked for; 0 for never. */
  long askedFor(UsageKey usage);

  /** The volume was given back. */
  void buried(Tombstone tombstone);

  /** A use of which only the directory was left has its name again. */
  void named(VolumeActor actor, UsageKey usage);

  /** Nothing is being done with the volume; perhaps nothing is known of it any more. */
  void idle(VolumeActor actor);

  /** A new operation in the background. */
  Operation background(Wish wish, VolumeEvent.Operation kind, Optional<UsageKey> usage);

  /** A plugin was heard of: perhaps it is another process now, or can do more or less. */
  void heard(PluginId plugin, String instance, Optional<Boolean> stages);

  /** Whether a plugin is sent another access mode than was asked for, for the first time. */
  boolean isFirstReplaced(PluginId plugin);

  /** What was due then comes only now. */
  void late(long due);

  /** Something was mounted where nobody asked for it, perhaps. */
  void lookForUnexpected();

  /** Why nothing can be done for a use of a volume, if what is mounted over its directories. */
  Optional<Failure> overmounted(VolumeIdentity volume, Optional<UsageKey> usage);

  /** The same as far as it was told already, without a look. */
  Optional<Failure> covered(VolumeIdentity volume);
}
