package io.csi4j.volume.internal.events;

import io.csi4j.volume.model.OperationId;
import io.csi4j.volume.node.VolumeEvent;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Hands operations to the flight recorder; keeps nothing while none records. */
final class FlightRecord implements Consumer<VolumeEvent> {

  private final Map<OperationId, VolumeOperationEvent> open = new ConcurrentHashMap<>();

  @Override
  public void accept(VolumeEvent event) {
    if (event instanceof VolumeEvent.Started started) {
      VolumeOperationEvent record = new VolumeOperationEvent();
      if (record.isEnabled()) {
        record.begin();
        open.put(started.id(), record);
      }
    } else if (event instanceof VolumeEvent.Ended ended) {
      VolumeOperationEvent record = open.remove(ended.started().id());
      if (record != null) {
        record.finish(ended);
      }
    }
  }
}
