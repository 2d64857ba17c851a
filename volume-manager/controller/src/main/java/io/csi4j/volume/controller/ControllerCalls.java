package io.csi4j.volume.controller;

import io.csi4j.client.controller.Capacity;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.controller.ControllerExpandVolumeRequest;
import io.csi4j.client.controller.ControllerGetVolumeHealthRequest;
import io.csi4j.client.controller.ControllerGetVolumeRequest;
import io.csi4j.client.controller.ControllerModifyVolumeRequest;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.controller.ControllerUnpublishVolumeRequest;
import io.csi4j.client.controller.CreateSnapshotRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.DeleteSnapshotRequest;
import io.csi4j.client.controller.DeleteVolumeRequest;
import io.csi4j.client.controller.GetCapacityRequest;
import io.csi4j.client.controller.GetSnapshotRequest;
import io.csi4j.client.controller.ListSnapshotsRequest;
import io.csi4j.client.controller.Snapshot;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.controller.Volume;
import io.csi4j.client.controller.VolumeEntry;
import io.csi4j.client.group.CreateVolumeGroupSnapshotRequest;
import io.csi4j.client.group.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.client.group.VolumeGroupSnapshot;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.GroupSnapshotId;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.Secrets;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContentSource;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeHealthReport;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.catalog.CatalogEntry;
import io.csi4j.volume.catalog.CatalogEntry.PendingSnapshot;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import io.csi4j.volume.model.SecretsReference;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Builds controller calls from the records of volumes, and from ids.
 *
 * @param secrets returns the provider for a reference to secrets
 */
record ControllerCalls(Function<SecretsReference, SecretsProvider> secrets) {

  // ---- parts of calls

  /** Returns the provider of the secrets of a volume. */
  SecretsProvider secretsOf(VolumeSpec spec) {
    return secretsOf(spec.secrets());
  }

  /** Returns secrets by reference; the host is asked for its provider only when a call is sent. */
  SecretsProvider secretsOf(Optional<SecretsReference> reference) {
    return reference
        .<SecretsProvider>map(
            name ->
                SecretsProvider.async(operation -> secrets.apply(name).asyncSecretsFor(operation)))
        .orElseGet(SecretsProvider::none);
  }

  static VolumeIdentity identity(CatalogVolume volume) {
    return new VolumeIdentity(volume.plugin(), volume.id());
  }

  /**
   * Returns a subject such as {@code creating volume 'default/db-1' (csi4j-k7x2) of plugin 'p'}.
   */
  static Subject about(String doing, CatalogEntry record) {
    return Subject.of(
        doing
            + " volume '"
            + record.key()
            + "' ("
            + record.name().orElse("")
            + ") of plugin '"
            + record.spec().plugin()
            + "'");
  }

  /** Returns a subject such as {@code deleting snapshot 'snap-1' of plugin 'p'}. */
  static Subject about(String doing, String what, PluginId plugin) {
    return Subject.of(doing + " '" + what + "' of plugin '" + plugin + "'");
  }

  private static Subject onNode(
      String doing, VolumeIdentity volume, String preposition, NodeId node) {
    return Subject.of(
        doing
            + " volume '"
            + volume.handle()
            + "' of plugin '"
            + volume.plugin()
            + "' "
            + preposition
            + " node '"
            + node
            + "'");
  }

  private static SortedSet<VolumeLane> lanes(VolumeLane... lanes) {
    return new TreeSet<>(Set.of(lanes));
  }

  /**
   * Returns the kinds of use, with unsupported modes replaced by those that the plugin supports.
   */
  private static List<VolumeCapability> capabilities(
      VolumeSpec spec, ControllerFacts facts, boolean olderModes) {
    return spec.capabilitiesInFull().stream()
        .map(each -> known(each, facts, olderModes))
        .distinct()
        .toList();
  }

  /**
   * Returns the same kind of use with a mode that the plugin supports.
   *
   * @param olderModes whether the volume is recorded as using older modes
   */
  static VolumeCapability known(
      VolumeCapability capability, ControllerFacts facts, boolean olderModes) {
    return !olderModes && facts.offers(ControllerCapability.SINGLE_NODE_MULTI_WRITER)
        ? capability
        : capability.withAccessMode(capability.accessMode().withoutSingleNodeMultiWriter());
  }

  private static <T> ControllerCall<T> call(
      PluginId plugin,
      CsiOperation operation,
      Subject subject,
      SortedSet<VolumeLane> lanes,
      SecretsProvider secrets,
      BiFunction<ControllerService.Async, Secrets, CompletionStage<T>> sending) {
    return new ControllerCall<>(
        plugin,
        operation,
        subject,
        lanes,
        secrets,
        (services, given) -> sending.apply(services.controller(), given));
  }

  // ---- volumes

  ControllerCall<Volume> create(CatalogEntry record, ControllerFacts facts) {
    VolumeSpec spec = record.spec();
    String name = record.name().orElseThrow();
    SortedSet<VolumeLane> lanes = lanes(VolumeLane.name(spec.plugin(), name));
    if (spec.source().orElse(null) instanceof VolumeContentSource.FromVolume from) {
      lanes.add(VolumeLane.of(spec.plugin(), from.volumeId()));
    }
    return call(
        spec.plugin(),
        CsiOperation.CREATE_VOLUME,
        about("creating", record),
        lanes,
        secretsOf(spec),
        (controller, given) -> {
          CreateVolumeRequest.Builder request =
              CreateVolumeRequest.builder(name, capabilities(spec, facts, record.olderModes()))
                  .parameters(spec.parameters())
                  .mutableParameters(spec.mutableParameters())
                  .secrets(given);
          spec.capacity().ifPresent(request::capacityRange);
          spec.source().ifPresent(request::contentSource);
          record.topologies().ifPresent(request::accessibilityRequirements);

          return controller.createVolume(request.build());
        });
  }

  ControllerCall<ValidationResult> validate(CatalogVolume volume, ControllerFacts facts) {
    VolumeSpec spec = volume.spec();
    return of(
        volume,
        CsiOperation.VALIDATE_VOLUME_CAPABILITIES,
        "validating",
        (controller, given) ->
            controller.validateVolumeCapabilities(
                ValidateVolumeCapabilitiesRequest.builder(
                        volume.id(), capabilities(spec, facts, false))
                    .volumeContext(volume.context())
                    .parameters(spec.parameters())
                    .mutableParameters(spec.mutableParameters())
                    .secrets(given)
                    .build()));
  }

  ControllerCall<ControllerService.ExpandVolumeResult> expand(
      CatalogVolume volume, CapacityRange to, VolumeCapability capability) {
    return of(
        volume,
        CsiOperation.CONTROLLER_EXPAND_VOLUME,
        "expanding",
        (controller, given) ->
            controller.expandVolume(
                ControllerExpandVolumeRequest.builder(volume.id(), to)
                    .capability(capability)
                    .secrets(given)
                    .build()));
  }

  ControllerCall<Done> modify(CatalogVolume volume, Map<String, String> mutableParameters) {
    return of(
        volume,
        CsiOperation.CONTROLLER_MODIFY_VOLUME,
        "modifying",
        (controller, given) ->
            controller
                .modifyVolume(
                    ControllerModifyVolumeRequest.builder(volume.id(), mutableParameters)
                        .secrets(given)
                        .build())
                .thenApply(none -> Done.DONE));
  }

  ControllerCall<VolumeEntry> inspect(CatalogVolume volume) {
    return of(
        volume,
        CsiOperation.CONTROLLER_GET_VOLUME,
        "reading",
        (controller, given) ->
            controller.getVolume(ControllerGetVolumeRequest.builder(volume.id()).build()));
  }

  /** Reads the faults of a volume with the call that reads only health. */
  ControllerCall<VolumeHealthReport> health(CatalogVolume volume) {
    return of(
        volume,
        CsiOperation.CONTROLLER_GET_VOLUME_HEALTH,
        "reading the health of",
        (controller, given) ->
            controller.getVolumeHealth(
                ControllerGetVolumeHealthRequest.builder(volume.id()).secrets(given).build()));
  }

  private <T> ControllerCall<T> of(
      CatalogVolume volume,
      CsiOperation operation,
      String doing,
      BiFunction<ControllerService.Async, Secrets, CompletionStage<T>> sending) {
    return of(identity(volume), operation, doing, secretsOf(volume.spec()), sending);
  }

  private static <T> ControllerCall<T> of(
      VolumeIdentity volume,
      CsiOperation operation,
      String doing,
      SecretsProvider secrets,
      BiFunction<ControllerService.Async, Secrets, CompletionStage<T>> sending) {
    return call(
        volume.plugin(),
        operation,
        Subject.of(doing, volume),
        lanes(VolumeLane.of(volume.plugin(), volume.handle())),
        secrets,
        sending);
  }

  ControllerCall<Done> delete(VolumeSpec spec, VolumeId volume) {
    return of(
        new VolumeIdentity(spec.plugin(), volume),
        CsiOperation.DELETE_VOLUME,
        "deleting",
        secretsOf(spec),
        (controller, given) ->
            controller
                .deleteVolume(DeleteVolumeRequest.builder(volume).secrets(given).build())
                .thenApply(none -> Done.DONE));
  }

  /** Sends the same parameters as the call that creates a volume. */
  static ControllerCall<Capacity> capacity(
      VolumeSpec spec, Optional<Topology> place, ControllerFacts facts) {
    PluginId plugin = spec.plugin();
    return call(
        plugin,
        CsiOperation.GET_CAPACITY,
        Subject.of("reading the capacity of plugin '" + plugin + "'"),
        lanes(),
        SecretsProvider.none(),
        (controller, given) -> {
          GetCapacityRequest.Builder request =
              GetCapacityRequest.builder()
                  .capabilities(capabilities(spec, facts, false))
                  .parameters(spec.parameters());
          place.ifPresent(request::accessibleTopology);
          return controller.getCapacity(request.build());
        });
  }

  // ---- nodes

  /**
   * The attachment of a volume to a node.
   *
   * @param node the plugin's id of the node
   * @param capability the kind of use of the volume
   * @param readonly whether the volume is attached read-only
   * @param context the context of the volume
   */
  public record Attaching(
      NodeId node, VolumeCapability capability, boolean readonly, VolumeContext context) {}

  /** Attaches a volume to a node. */
  public static ControllerCall<PublishContext> publish(
      VolumeIdentity volume, Attaching how, SecretsProvider provider) {
    return call(
        volume.plugin(),
        CsiOperation.CONTROLLER_PUBLISH_VOLUME,
        onNode("attaching", volume, "to", how.node()),
        lanes(
            VolumeLane.of(volume.plugin(), volume.handle()),
            VolumeLane.of(volume.plugin(), how.node())),
        provider,
        (controller, given) ->
            controller
                .publishVolume(
                    ControllerPublishVolumeRequest.builder(
                            volume.handle(), how.node(), how.capability())
                        .readonly(how.readonly())
                        .volumeContext(how.context())
                        .secrets(given)
                        .build())
                .thenApply(ControllerService.PublishVolumeResult::publishContext));
  }

  /** Detaches a volume from a node. */
  public static ControllerCall<Done> unpublish(
      VolumeIdentity volume, NodeId node, SecretsProvider provider) {
    return call(
        volume.plugin(),
        CsiOperation.CONTROLLER_UNPUBLISH_VOLUME,
        onNode("detaching", volume, "from", node),
        lanes(
            VolumeLane.of(volume.plugin(), volume.handle()), VolumeLane.of(volume.plugin(), node)),
        provider,
        (controller, given) ->
            controller
                .unpublishVolume(
                    ControllerUnpublishVolumeRequest.builder(volume.handle(), node)
                        .secrets(given)
                        .build())
                .thenApply(none -> Done.DONE));
  }

  // ---- snapshots

  ControllerCall<Snapshot> cut(CatalogVolume volume, PendingSnapshot cut) {
    PluginId plugin = volume.plugin();
    String name = cut.sentName();
    return call(
        plugin,
        CsiOperation.CREATE_SNAPSHOT,
        about("creating snapshot", cut.name(), plugin),
        lanes(VolumeLane.name(plugin, "snapshot " + name), VolumeLane.of(plugin, volume.id())),
        secretsOf(volume.spec()),
        (controller, given) -> {
          CreateSnapshotRequest.Builder request =
              CreateSnapshotRequest.builder(volume.id(), name)
                  .parameters(cut.parameters())
                  .secrets(given);
          cut.places().ifPresent(request::accessibilityRequirements);
          return controller.createSnapshot(request.build());
        });
  }

  /** Reads the source snapshot of a volume; empty if the list does not contain it. */
  ControllerCall<Optional<Snapshot>> find(
      VolumeSpec spec, SnapshotId snapshot, ControllerFacts facts) {
    boolean byName = facts.offers(ControllerCapability.GET_SNAPSHOT);
    return call(
        spec.plugin(),
        byName ? CsiOperation.GET_SNAPSHOT : CsiOperation.LIST_SNAPSHOTS,
        about("reading snapshot", snapshot.value(), spec.plugin()),
        lanes(VolumeLane.of(spec.plugin(), snapshot)),
        secretsOf(spec),
        (controller, given) ->
            byName
                ? controller
                    .getSnapshot(GetSnapshotRequest.builder(snapshot).secrets(given).build())
                    .thenApply(Optional::of)
                : controller
                    .listSnapshots(
                        ListSnapshotsRequest.builder().snapshotId(snapshot).secrets(given).build())
                    .thenApply(
                        page ->
                            page.entries().stream()
                                .filter(each -> each.id().equals(snapshot))
                                .findFirst()));
  }

  /** Creates snapshots of several volumes of one plugin, with the secrets of the first of them. */
  ControllerCall<VolumeGroupSnapshot> cut(List<CatalogVolume> volumes, PendingSnapshot cut) {
    String name = cut.sentName();
    PluginId plugin = volumes.get(0).plugin();
    List<VolumeId> ids = volumes.stream().map(CatalogVolume::id).toList();
    SortedSet<VolumeLane> lanes = lanes(VolumeLane.name(plugin, "group " + name));
    ids.forEach(id -> lanes.add(VolumeLane.of(plugin, id)));
    return new ControllerCall<>(
        plugin,
        CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT,
        about("creating group snapshot", cut.name(), plugin),
        lanes,
        secretsOf(volumes.get(0).spec()),
        (services, given) ->
            services
                .group()
                .createVolumeGroupSnapshot(
                    CreateVolumeGroupSnapshotRequest.builder(name, ids)
                        .parameters(cut.parameters())
                        .secrets(given)
                        .build()));
  }

  /** Deletes a snapshot that belongs to no group. */
  ControllerCall<Done> delete(
      PluginId plugin, SnapshotId snapshot, Optional<SecretsReference> reference) {
    return call(
        plugin,
        CsiOperation.DELETE_SNAPSHOT,
        about("deleting snapshot", snapshot.value(), plugin),
        lanes(VolumeLane.of(plugin, snapshot)),
        secretsOf(reference),
        (controller, given) ->
            controller
                .deleteSnapshot(DeleteSnapshotRequest.builder(snapshot).secrets(given).build())
                .thenApply(none -> Done.DONE));
  }

  ControllerCall<Done> delete(
      PluginId plugin,
      GroupSnapshotId group,
      List<SnapshotId> members,
      Optional<SecretsReference> reference) {
    SortedSet<VolumeLane> lanes = lanes(VolumeLane.of(plugin, group));
    members.forEach(id -> lanes.add(VolumeLane.of(plugin, id)));
    return new ControllerCall<>(
        plugin,
        CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT,
        about("deleting group snapshot", group.value(), plugin),
        lanes,
        secretsOf(reference),
        (services, given) ->
            services
                .group()
                .deleteVolumeGroupSnapshot(
                    DeleteVolumeGroupSnapshotRequest.builder(group, members).secrets(given).build())
                .thenApply(none -> Done.DONE));
  }
}
