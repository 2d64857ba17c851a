package io.csi4j.volume.internal.events;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.VolumeEvent;
import java.time.Duration;
import java.util.Optional;

/** Events as an engine makes them. */
final class Samples {

  private Samples() {}

  static VolumeEvent.Started started(long id) {
    return started(id, VolumeEvent.Operation.MOUNT);
  }

  private static VolumeEvent.Started started(long id, VolumeEvent.Operation operation) {
    return new VolumeEvent.Started(
        new OperationId(id),
        operation,
        PluginId.of("hostpath.csi"),
        Optional.of(VolumeUse.of(VolumeKey.of("db-1"), WorkloadId.of("web-1"))));
  }

  static VolumeEvent.Called called(long id) {
    return new VolumeEvent.Called(
        new OperationId(id),
        PluginId.of("hostpath.csi"),
        CsiOperation.NODE_STAGE_VOLUME,
        StatusCode.OK,
        true,
        Duration.ofMillis(2),
        Optional.empty());
  }

  static VolumeEvent.Ended ended(long id) {
    return new VolumeEvent.Ended(started(id), Duration.ofMillis(3), Optional.empty());
  }

  static VolumeEvent.Ended failed(long id) {
    return failed(id, VolumeEvent.Operation.MOUNT);
  }

  static VolumeEvent.Ended failed(long id, VolumeEvent.Operation operation) {
    return new VolumeEvent.Ended(
        started(id, operation),
        Duration.ofMillis(3),
        Optional.of(
            Messages.of(OperatorCode.REFUSED_BY_PLUGIN, Subject.of("publishing"), "it said no")));
  }

  static VolumeEvent.Noticed noticed(String seen) {
    return new VolumeEvent.Noticed(
        Messages.of(OperatorCode.MOUNT_LOST, Subject.of("looking at the mounts"), seen));
  }
}
