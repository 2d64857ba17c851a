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
  PENDING(
      "csi4j.volumes.pending",
      Meter.Type.GAUGE,
      "volumes whose deletion or change a controller has not done, by who goes on with it",
      "status");

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
