package io.csi4j.volume.internal.plugin;

import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginRole;
import java.util.List;
import java.util.Optional;

/**
 * What becomes of a roster.
 *
 * @param roster how it is from now on
 * @param told who is told what, in order
 * @param durable whether something is new in it that a restart has to know
 * @param refusal why the plugin was not taken at its word, if it was not
 */
record Change(Roster roster, List<Told> told, boolean durable, Optional<PluginException> refusal) {

  /**
   * One event for those who listen to a role.
   *
   * @param role which
   * @param event what
   */
  record Told(PluginRole role, PluginEvent event) {}

  /** Copies the list. */
  Change {
    told = List.copyOf(told);
  }

  /** A change that nothing stands against. */
  static Change of(Roster roster, List<Told> told, boolean durable) {
    return new Change(roster, told, durable, Optional.empty());
  }

  /** A change that need not be told. */
  static Change silent(Roster roster) {
    return of(roster, List.of(), false);
  }
}
