package io.csi4j.micrometer;

import io.micrometer.core.instrument.Meter;
import java.util.List;

/** The meters, with the keys of their tags in order. The table in docs/metrics.md has the same. */
enum CsiMeter {
  ATTEMPTS(
      "csi4j.call.attempts",
      Meter.Type.TIMER,
      "attempts of calls to plugins that have ended",
      "plugin",
      "call",
      "code"),
  OPEN_ATTEMPTS(
      "csi4j.call.open", Meter.Type.GAUGE, "attempts of calls that have not ended", "plugin"),
  WARNINGS(
      "csi4j.call.warnings",
      Meter.Type.COUNTER,
      "oddities in requests and answers that were let pass",
      "plugin",
      "call"),
  CONNECTIONS(
      "csi4j.connections",
      Meter.Type.COUNTER,
      "connections to plugins that were made, and that were lost",
      "plugin",
      "event"),
  OPERATIONS(
      "csi4j.operations",
      Meter.Type.TIMER,
      "operations of a volume manager that have ended",
      "plugin",
      "operation",
      "code"),
  OPEN_OPERATIONS(
      "csi4j.operations.open", Meter.Type.GAUGE, "operations that have not ended", "plugin"),
  NOTICES("csi4j.notices", Meter.Type.COUNTER, "messages for operators", "code"),
  CLAIMS("csi4j.claims", Meter.Type.TIMER, "work on claims that has ended", "work", "code"),
  HEALTH_CHANGES(
      "csi4j.plugin.health.changes",
      Meter.Type.COUNTER,
      "changes of the health of plugin instances, by what they changed to",
      "plugin",
      "health"),
  PLUGINS("csi4j.plugins", Meter.Type.GAUGE, "plugins that are registered or have volumes here"),
  INSTANCES(
      "csi4j.plugin.instances",
      Meter.Type.GAUGE,
      "registered instances of plugins, by their health",
      "plugin",
      "health"),
  VOLUMES("csi4j.volumes", Meter.Type.GAUGE, "volumes on record on this node", "plugin"),
  USES("csi4j.uses", Meter.Type.GAUGE, "uses of volumes, by how far they are", "plugin", "status"),
  DOUBTED(
      "csi4j.volumes.doubted",
      Meter.Type.GAUGE,
      "volumes of which a call has an end that is not known",
      "plugin"),
  OWED(
      "csi4j.volumes.owed",
      Meter.Type.GAUGE,
      "volumes that are still to be given back, wholly or for a use",
      "plugin"),
  TROUBLED(
      "csi4j.volumes.troubled", Meter.Type.GAUGE, "volumes that something keeps back", "plugin"),
  UNWELL("csi4j.volumes.unwell", Meter.Type.GAUGE, "volumes with known faults", "plugin"),
  STORAGE_FAULTS(
      "csi4j.storage.faults",
      Meter.Type.GAUGE,
      "known faults of the storage behind a plugin",
      "plugin"),
  CONTROLLER_OPERATIONS(
      "csi4j.controller.operations",
      Meter.Type.TIMER,
      "operations of a control plane that have ended",
      "operation",
      "code"),
  CONTROLLER_OPEN(
      "csi4j.controller.operations.open",
      Meter.Type.GAUGE,
      "operations of a control plane that have not ended"),
  CONTROLLER_WAITS(
      "csi4j.controller.waits",
      Meter.Type.TIMER,
      "waits of operations for another control plane that works on the volume"),
  ATTEMPTS_IN_BACKGROUND(
      "csi4j.controller.attempts",
      Meter.Type.COUNTER,
      "attempts in the background to finish an operation",
      "operation",
      "outcome",
      "code"),
  CONTROLLER_EVENTS(
      "csi4j.controller.events",
      Meter.Type.COUNTER,
      "changes of who works on a volume, of the session and of the store",
      "event"),
  CONTROLLER_VOLUMES(
      "csi4j.controller.volumes",
      Meter.Type.GAUGE,
      "volumes in the catalog, by how far they are",
      "state"),
  CONTROLLER_WORK(
      "csi4j.controller.work",
      Meter.Type.GAUGE,
      "volumes that are worked on, by the control plane that does it",
      "owner"),
  PENDING(
      "csi4j.volumes.pending",
      Meter.Type.GAUGE,
      "volumes with an operation that has begun and has not ended, by the code of the last failure",
      "operation",
      "status",
      "code"),
  PENDING_AGE(
      "csi4j.volumes.pending.age",
      Meter.Type.GAUGE,
      "seconds for which the oldest of them has been pending",
      "operation"),
  SESSION(
      "csi4j.controller.session",
      Meter.Type.GAUGE,
      "1 for the state that the session of a control plane has, 0 for the others",
      "state"),
  UPKEEP(
      "csi4j.controller.upkeep",
      Meter.Type.GAUGE,
      "Chores of the upkeep that this control plane has"),
  VIEW_AGE(
      "csi4j.controller.view.age",
      Meter.Type.GAUGE,
      "seconds for which the view of the catalog may lack what the store has"),
  READ_ONLY(
      "csi4j.controller.read.only", Meter.Type.GAUGE, "1 if the store accepts no write, or 0"),
  STORE_CALLS(
      "csi4j.store.calls",
      Meter.Type.TIMER,
      "calls to the store of claims and catalog that have ended",
      "call",
      "result"),
  STORE_MISSED(
      "csi4j.store.missed",
      Meter.Type.COUNTER,
      "watches of the store that have missed changes, as after a lost connection");

  private final String id;
  private final Meter.Type type;
  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // it cannot be modified
  private final List<String> tags;

  CsiMeter(String id, Meter.Type type, String description, String... tags) {
    this.id = id;
    this.type = type;
    this.description = description;
    this.tags = List.of(tags);
  }

  /** Its name, as Micrometer has it. */
  String id() {
    return id;
  }

  Meter.Type type() {
    return type;
  }

  String description() {
    return description;
  }

  /** The keys of its tags. */
  List<String> tags() {
    return tags;
  }
}
