package io.csi4j.volume.controller;

import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.group.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogVolume;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/** Makes the calls of snapshots. */
final class SnapshotCalls {

  private SnapshotCalls() {}

  static ControllerCall<Snapshot> cut(
      CatalogVolume volume,
      SnapshotName name,
      Map<String, String> parameters,
      SecretsProvider provider) {
    PluginId plugin = volume.plugin();
    return new ControllerCall<>(
        plugin,
        CsiOperation.CREATE_SNAPSHOT,
        ControllerCalls.about("cutting snapshot", name.value(), plugin),
        ControllerCalls.lanes(
            VolumeLane.name(plugin, "snapshot " + name), VolumeLane.of(plugin, volume.id())),
        provider,
        (services, secrets) ->
            services
                .controller()
                .createSnapshot(
                    CreateSnapshotRequest.builder(volume.id(), name.value())
                        .parameters(parameters)
                        .secrets(secrets)
                        .build()));
  }

  static ControllerCall<VolumeGroupSnapshot> cut(
      List<CatalogVolume> volumes,
      SnapshotName name,
      Map<String, String> parameters,
      SecretsProvider provider) {
    PluginId plugin = volumes.get(0).plugin();
    List<VolumeId> ids = volumes.stream().map(CatalogVolume::id).toList();
    SortedSet<VolumeLane> lanes = ControllerCalls.lanes(VolumeLane.name(plugin, "group " + name));
    ids.forEach(id -> lanes.add(VolumeLane.of(plugin, id)));
    return new ControllerCall<>(
        plugin,
        CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
        ControllerCalls.about("cutting group snapshot", name.value(), plugin),
        lanes,
        provider,
        (services, secrets) ->
            services
                .group()
                .createVolumeGroupSnapshot(
                    CreateVolumeGroupSnapshotRequest.builder(name.value(), ids)
                        .parameters(parameters)
                        .secrets(secrets)
                        .build()));
  }

  static ControllerCall<Done> delete(
      PluginId plugin, GroupSnapshotId group, List<SnapshotId> members, SecretsProvider provider) {
    SortedSet<VolumeLane> lanes = ControllerCalls.lanes(VolumeLane.of(plugin, group));
    members.forEach(id -> lanes.add(VolumeLane.of(plugin, id)));
    return new ControllerCall<>(
        plugin,
        CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
        ControllerCalls.about("deleting group snapshot", group.value(), plugin),
        lanes,
        provider,
        (services, secrets) ->
            services
                .group()
                .deleteVolumeGroupSnapshot(
                    DeleteVolumeGroupSnapshotRequest.builder(group, members)
                        .secrets(secrets)
                        .build())
                .thenApply(none -> Done.DONE));
  }
}
