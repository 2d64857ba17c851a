package io.csi4j.micrometer;

import io.micrometer.core.instrument.Meter;
import java.util.List;

/**
 * The meters, each with the ordered keys of its tags. The table in docs/metrics.md lists the same
 * meters.
 */
enum CsiMeter {
  ATTEMPTS(
      "csi4j.call.attempts",
      Meter.Type.TIMER,
      "ended attempts of calls to plugins",
      "plugin",
      "call",
      "code"),
  OPEN_ATTEMPTS("csi4j.call.open", Meter.Type.GAUGE, "open attempts of calls to plugins", "plugin"),
  WARNINGS(
      "csi4j.call.warnings",
      Meter.Type.COUNTER,
      "irregularities in requests and answers that were tolerated",
      "plugin",
      "call"),
  CONNECTIONS(
      "csi4j.connections",
      Meter.Type.COUNTER,
      "connections to plugins, made or lost",
      "plugin",
      "event"),
  OPERATIONS(
      "csi4j.operations",
      Meter.Type.TIMER,
      "ended operations of a volume manager",
      "plugin",
      "operation",
      "code"),
  OPEN_OPERATIONS(
      "csi4j.operations.open", Meter.Type.GAUGE, "open operations of a volume manager", "plugin"),
  NOTICES("csi4j.notices", Meter.Type.COUNTER, "messages for operators", "code"),
  CLAIMS("csi4j.claims", Meter.Type.TIMER, "ended work on claims", "work", "code"),
  HEALTH_CHANGES(
      "csi4j.plugin.health.changes",
      Meter.Type.COUNTER,
      "changes of the health of plugin instances, by the new health",
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
  USES("csi4j.uses", Meter.Type.GAUGE, "uses of volumes, by status", "plugin", "status"),
  DOUBTED(
      "csi4j.volumes.doubted",
      Meter.Type.GAUGE,
      "volumes with a call whose result is uncertain",
      "plugin"),
  OWED(
      "csi4j.volumes.owed",
      Meter.Type.GAUGE,
      "volumes with a pending release, complete or of one use",
      "plugin"),
  TROUBLED(
      "csi4j.volumes.troubled",
      Meter.Type.GAUGE,
      "volumes that cannot continue because of a problem",
      "plugin"),
  UNWELL("csi4j.volumes.unwell", Meter.Type.GAUGE, "volumes with known faults", "plugin"),
  TROUBLE(
      "csi4j.volume.trouble",
      Meter.Type.GAUGE,
      "seconds for which a volume has been uncertain, pending release, troubled or unwell",
      "plugin",
      "volume",
      "workload",
      "code"),
  TROUBLE_OMITTED(
      "csi4j.volume.trouble.omitted",
      Meter.Type.GAUGE,
      "volumes in trouble that `csi4j.volume.trouble` does not name"),
  STORAGE_FAULTS(
      "csi4j.storage.faults",
      Meter.Type.GAUGE,
      "known faults of the storage behind a plugin",
      "plugin"),
  CONTROLLER_OPERATIONS(
      "csi4j.controller.operations",
      Meter.Type.TIMER,
      "ended operations of a control plane",
      "operation",
      "code"),
  CONTROLLER_OPEN(
      "csi4j.controller.operations.open", Meter.Type.GAUGE, "open operations of a control plane"),
  CONTROLLER_WAITS(
      "csi4j.controller.waits",
      Meter.Type.TIMER,
      "waits of operations for another control plane to finish with the volume"),
  ATTEMPTS_IN_BACKGROUND(
      "csi4j.controller.attempts",
      Meter.Type.COUNTER,
      "background attempts to finish an operation",
      "operation",
      "outcome",
      "code"),
  CONTROLLER_EVENTS(
      "csi4j.controller.events",
      Meter.Type.COUNTER,
      "changes of the owner of a volume's work, of the session and of the store",
      "event"),
  CONTROLLER_VOLUMES(
      "csi4j.controller.volumes", Meter.Type.GAUGE, "volumes in the catalog, by state", "state"),
  CONTROLLER_WORK(
      "csi4j.controller.work",
      Meter.Type.GAUGE,
      "volumes with work in progress, by the control plane that does it",
      "owner"),
  PENDING(
      "csi4j.volumes.pending",
      Meter.Type.GAUGE,
      "volumes with a pending operation, by the code of the last failure",
      "operation",
      "status",
      "code"),
  PENDING_AGE(
      "csi4j.volumes.pending.age",
      Meter.Type.GAUGE,
      "age of the oldest pending operation in seconds",
      "operation"),
  SESSION(
      "csi4j.controller.session",
      Meter.Type.GAUGE,
      "1 for the current state of a control plane's session, 0 for all other states",
      "state"),
  UPKEEP(
      "csi4j.controller.upkeep",
      Meter.Type.GAUGE,
      "chores of the upkeep that this control plane runs"),
  VIEW_AGE(
      "csi4j.controller.view.age",
      Meter.Type.GAUGE,
      "seconds by which the view of the catalog may lag behind the store"),
  READ_ONLY(
      "csi4j.controller.read.only", Meter.Type.GAUGE, "1 if the store accepts no writes, or 0"),
  STORE_CALLS(
      "csi4j.store.calls",
      Meter.Type.TIMER,
      "ended calls to the store of claims and catalog",
      "call",
      "result"),
  STORE_MISSED(
      "csi4j.store.missed",
      Meter.Type.COUNTER,
      "watches of the store that missed changes, for example after a lost connection");

  private final String id;
  private final Meter.Type type;
  private final String description;

  @SuppressWarnings("ImmutableEnumChecker") // The list cannot be modified.
  private final List<String> tags;

  CsiMeter(String id, Meter.Type type, String description, String... tags) {
    this.id = id;
    this.type = type;
    this.description = description;
    this.tags = List.of(tags);
  }

  /** Returns the name of the meter in Micrometer's format. */
  String id() {
    return id;
  }

  Meter.Type type() {
    return type;
  }

  String description() {
    return description;
  }

  /** Returns the keys of the tags. */
  List<String> tags() {
    return tags;
  }
}
