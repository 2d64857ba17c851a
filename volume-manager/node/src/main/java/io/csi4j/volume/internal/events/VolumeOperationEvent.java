package io.csi4j.volume.internal.events;

import io.csi4j.volume.node.VolumeEvent;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The event for the flight recorder about one operation on a volume. Contains no secrets. */
@Name("io.csi4j.VolumeOperation")
@Label("Volume Operation")
@Category({"csi4j", "Volumes"})
@Description("One operation on a volume, from its start to its end")
@StackTrace(false)
@SuppressWarnings("unused") // the fields are read by the flight recorder
final class VolumeOperationEvent extends Event {

  @Label("Number")
  long number;

  @Label("Operation")
  String operation = "";

  @Label("Plugin")
  String plugin = "";

  @Label("Volume")
  String volume = "";

  @Label("Workload")
  String workload = "";

  @Label("Failure")
  String failure = "";

  /** Commits the event of an operation that has ended. */
  void finish(VolumeEvent.Ended ended) {
    end();
    if (shouldCommit()) {
      VolumeEvent.Started started = ended.started();
      number = started.id().value();
      operation = started.operation().name();
      plugin = started.plugin().value();
      volume = started.usage().map(usage -> usage.volume().toString()).orElse("");
      workload = started.usage().map(usage -> usage.workload().value()).orElse("");
      failure = ended.failure().map(message -> message.code().name()).orElse("");
      commit();
    }
  }
}
