package io.csi4j.testkit.internal.backend;

import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.CapacityRange;
import io.csi4j.client.internal.proto.ControllerExpandVolumeRequest;
import io.csi4j.client.internal.proto.ControllerExpandVolumeResponse;
import io.csi4j.client.internal.proto.ControllerModifyVolumeRequest;
import io.csi4j.client.internal.proto.ControllerModifyVolumeResponse;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.CreateVolumeResponse;
import io.csi4j.client.internal.proto.DeleteVolumeRequest;
import io.csi4j.client.internal.proto.DeleteVolumeResponse;
import io.csi4j.client.internal.proto.Snapshot;
import io.csi4j.client.internal.proto.Topology;
import io.csi4j.client.internal.proto.Volume;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeContentSource;
import io.csi4j.client.internal.text.SafeText;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.backend.Flights.Held;
import io.csi4j.testkit.internal.backend.Flights.Thing;
import io.csi4j.testkit.internal.backend.State.StoredSnapshot;
import io.csi4j.testkit.internal.backend.State.StoredVolume;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Implements the calls that create, change, list and delete volumes. */
@SuppressWarnings("try") // A try block holds a claim on a volume without using it.
final class VolumeService {

  /** Key of an entry in the context of every new volume. */
  static final String BACKING = "csi4j.testkit/backing";

  private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._/-]+");

  private final BackendParts ground;

  VolumeService(BackendParts ground) {
    this.ground = ground;
  }

  CreateVolumeResponse create(Call call, CreateVolumeRequest request) throws Refusal {
    PluginShape shape = call.shape();
    for (int i = 0; i < request.getVolumeCapabilitiesCount(); i++) {
      String at = "volume_capabilities[" + i + "]";
      VolumeCapability capability = request.getVolumeCapabilities(i);
      Capabilities.checkAtController(shape, at, capability);
      Optional<String> not = Capabilities.unsupported(shape, capability);
      if (not.isPresent()) {
        throw Refusal.invalid(at, not.get() + ". Request the other access type.");
      }
    }
    checkMutable(shape, "mutable_parameters", request.getMutableParamsMap());
    Optional<Thing> source = thing(request.getVolumeContentSource());
    try (Held name = ground.flights().take(Thing.name("volume name", request.getName()))) {
      Optional<StoredVolume> existing = named(request.getName());
      if (existing.isPresent()) {
        same(existing.get(), request);
        return answer(shape, existing.get().volume());
      }
      try (Held from = ground.flights().take(source.map(Thing::asSource).stream().toList())) {
        return answer(shape, make(shape, request));
      }
    }
  }

  private Volume make(PluginShape shape, CreateVolumeRequest request) throws Refusal {
    long least = size(request);
    long bytes = VolumeSizes.ofNew(shape, request.getCapacityRange(), least);
    Volume.Builder draft = Volume.newBuilder().setCapacityBytes(bytes);
    VolumePlacement.place(shape, request.getAccessibilityRequirements(), placesOfSource(request))
        .ifPresent(draft::addAccessibleTopology);
    if (request.hasVolumeContentSource()) {
      draft.setContentSource(request.getVolumeContentSource());
    }
    ground.effect(
        "Creating a volume", () -> draft.putAllVolumeContext(ground.storage().context(request)));
    String id = ground.ids().next("vol", ground.now().volumes().keySet());
    Volume volume = draft.setVolumeId(id).putVolumeContext(BACKING, "backing-of-" + id).build();
    try (Held made = ground.flights().take(Thing.volume(id))) {
      keep(shape, bytes, "Making", volume, request);
    }
    return volume;
  }

  /** Creates the bytes of a volume, and adds the volume to the state. */
  void keep(PluginShape shape, long bytes, String doing, Volume volume, CreateVolumeRequest request)
      throws Refusal {
    String id = volume.getVolumeId();
    CreateVolumeRequest asked = request.toBuilder().clearSecrets().build();
    ground
        .knowledge()
        .make(
            shape,
            bytes,
            doing + " the volume " + SafeText.quote(id),
            () -> ground.storage().create(volume, request),
            state -> state.volumes().put(id, new StoredVolume(volume, asked)),
            () -> ground.storage().delete(id));
  }

  /** Removes the bytes of a volume, and the volume from the state. */
  void remove(String id) throws Refusal {
    ground.effect("Deleting the volume " + SafeText.quote(id), () -> ground.storage().delete(id));
    ground.change(state -> state.volumes().remove(id));
    ground.health().remove(id);
  }

  /**
   * Returns the topologies from which the source snapshot is accessible; empty if it is accessible
   * everywhere.
   */
  private List<Topology> placesOfSource(CreateVolumeRequest request) {
    StoredSnapshot snapshot =
        ground
            .now()
            .snapshots()
            .get(request.getVolumeContentSource().getSnapshot().getSnapshotId());
    return snapshot == null ? List.of() : snapshot.snapshot().getAccessibleTopologyList();
  }

  private Optional<StoredVolume> named(String name) {
    return ground.now().volumes().values().stream()
        .filter(volume -> volume.asked().getName().equals(name))
        .findFirst();
  }

  private static void same(StoredVolume existing, CreateVolumeRequest request) throws Refusal {
    CreateVolumeRequest before = existing.asked();
    if (!VolumeSizes.contains(request.getCapacityRange(), existing.volume().getCapacityBytes())) {
      throw differs("capacity_range", existing);
    }
    if (!new HashSet<>(before.getVolumeCapabilitiesList())
        .equals(new HashSet<>(request.getVolumeCapabilitiesList()))) {
      throw differs("volume_capabilities", existing);
    }
    if (!before.getParametersMap().equals(request.getParametersMap())) {
      throw differs("parameters", existing);
    }
    if (!before.getVolumeContentSource().equals(request.getVolumeContentSource())) {
      throw differs("volume_content_source", existing);
    }
    if (!before.getAccessibilityRequirements().equals(request.getAccessibilityRequirements())
        && !VolumePlacement.satisfies(existing.volume(), request.getAccessibilityRequirements())) {
      throw differs("accessibility_requirements", existing);
    }
  }

  private static Refusal differs(String field, StoredVolume existing) {
    return Refusal.exists(
        "A volume named %s exists, but does not match "
            + field
            + ". Send what it was created with, or use another name.",
        existing.asked().getName());
  }

  private static CreateVolumeResponse answer(PluginShape shape, Volume volume) {
    return CreateVolumeResponse.newBuilder().setVolume(told(shape, volume)).build();
  }

  /** Returns a volume as the plugin reports it. */
  static Volume told(PluginShape shape, Volume volume) {
    return shape.has(Quirk.CAPACITY_UNTOLD)
        ? volume.toBuilder().clearCapacityBytes().build()
        : volume;
  }

  DeleteVolumeResponse delete(Call call, DeleteVolumeRequest request) throws Refusal {
    String id = request.getVolumeId();
    if (ground.flights().isSource(Thing.volume(id))) {
      throw Refusal.precondition(
          "Volume %s is being cloned. Wait for the clone, then delete it.", id);
    }
    try (Held held = ground.flights().take(Thing.volume(id))) {
      if (!ground.now().volumes().containsKey(id)) {
        gone(call.shape(), "volume", id);
        return DeleteVolumeResponse.getDefaultInstance();
      }
      ground.now().refuseAnywhere(id);
      remove(id);
      return DeleteVolumeResponse.getDefaultInstance();
    }
  }

  /**
   * Handles the deletion of an object that does not exist. Succeeds, unless the plugin has a quirk
   * that makes a second deletion fail.
   */
  static void gone(PluginShape shape, String kind, String id) throws Refusal {
    if (shape.has(Quirk.SECOND_DELETE_INTERNAL)) {
      throw Refusal.of(StatusCode.INTERNAL, "The " + kind + " %s cannot be found.", id);
    }
  }

  ControllerExpandVolumeResponse expand(Call call, ControllerExpandVolumeRequest request)
      throws Refusal {
    PluginShape shape = call.shape();
    String id = request.getVolumeId();
    try (Held held = ground.flights().take(Thing.volume(id))) {
      StoredVolume volume = ground.volume("volume_id", id);
      if (request.hasVolumeCapability()) {
        Capabilities.checkAtController(shape, "volume_capability", request.getVolumeCapability());
        Capabilities.checkMadeFor(shape, volume, request.getVolumeCapability());
      }
      long had = volume.volume().getCapacityBytes();
      long bytes = VolumeSizes.ofGrown(shape, request.getCapacityRange(), had);
      if (bytes > had) {
        if (!shape.offers(PluginCapability.VOLUME_EXPANSION_ONLINE)) {
          ground.now().refuseAnywhere(id);
        }
        grow(shape, id, had, bytes);
      }
      return ControllerExpandVolumeResponse.newBuilder()
          .setCapacityBytes(bytes)
          .setNodeExpansionRequired(
              shape.offers(NodeCapability.EXPAND_VOLUME)
                  && !request.getVolumeCapability().hasBlock())
          .build();
    }
  }

  /** Makes a volume larger, if the free capacity is sufficient. */
  void grow(PluginShape shape, String id, long had, long bytes) throws Refusal {
    ground
        .knowledge()
        .make(
            shape,
            bytes - had,
            "Expanding the volume " + SafeText.quote(id),
            () -> ground.storage().expand(id, bytes),
            state ->
                state
                    .volumes()
                    .computeIfPresent(
                        id,
                        (key, volume) ->
                            new StoredVolume(
                                volume.volume().toBuilder().setCapacityBytes(bytes).build(),
                                volume.asked())),
            () -> {});
  }

  ControllerModifyVolumeResponse modify(Call call, ControllerModifyVolumeRequest request)
      throws Refusal {
    String id = request.getVolumeId();
    try (Held held = ground.flights().take(Thing.volume(id))) {
      StoredVolume volume = ground.volume("volume_id", id);
      Map<String, String> wanted = request.getMutableParametersMap();
      checkMutable(call.shape(), "mutable_parameters", wanted);
      CreateVolumeRequest asked = volume.asked().toBuilder().putAllMutableParams(wanted).build();
      ground.change(state -> state.volumes().put(id, new StoredVolume(volume.volume(), asked)));
      return ControllerModifyVolumeResponse.getDefaultInstance();
    }
  }

  /**
   * Refuses mutable parameters with keys that this plugin does not accept, or with empty values.
   */
  static void checkMutable(PluginShape shape, String at, Map<String, String> parameters)
      throws Refusal {
    for (Map.Entry<String, String> parameter : parameters.entrySet()) {
      if (!PARAMETER.matcher(parameter.getKey()).matches() || parameter.getValue().isEmpty()) {
        throw Refusal.invalid(
            at + "[" + SafeText.quote(parameter.getKey()) + "]",
            "has an empty value, or a key with other characters than letters, digits and -_./ ."
                + " Nothing was changed.");
      }
      Set<String> known = shape.mutableParameters();
      if (!known.isEmpty() && !known.contains(parameter.getKey())) {
        throw Refusal.invalid(
            at + "[" + SafeText.quote(parameter.getKey()) + "]",
            "is not known to this plugin. Send one of %s. Nothing was changed.",
            known.stream().sorted().toList());
      }
    }
  }

  /**
   * Refuses a context that differs from the volume's own. An absent context is refused too, unless
   * a quirk of the plugin allows it.
   */
  static void checkContext(PluginShape shape, StoredVolume volume, Map<String, String> context)
      throws Refusal {
    boolean leftOut = context.isEmpty() && shape.has(Quirk.VOLUME_CONTEXT_NOT_NEEDED);
    if (!leftOut && !volume.volume().getVolumeContextMap().equals(context)) {
      throw Refusal.invalid(
          "volume_context",
          "is not that of volume %s. Send what CreateVolume returned, unchanged.",
          volume.volume().getVolumeId());
    }
  }

  static CapacityRange range(io.csi4j.client.model.CapacityRange capacity) {
    return CapacityRange.newBuilder()
        .setRequiredBytes(capacity.requiredBytes().orElse(0))
        .setLimitBytes(capacity.limitBytes().orElse(0))
        .build();
  }

  /** Returns the object that is the source, so that it can be held while it is copied. */
  private static Optional<Thing> thing(VolumeContentSource source) {
    return switch (source.getTypeCase()) {
      case SNAPSHOT -> Optional.of(Thing.snapshot(source.getSnapshot().getSnapshotId()));
      case VOLUME -> Optional.of(Thing.volume(source.getVolume().getVolumeId()));
      case TYPE_NOT_SET -> Optional.empty();
    };
  }

  /** Returns the size of the source; 0 if the request names no source. */
  private long size(CreateVolumeRequest request) throws Refusal {
    VolumeContentSource source = request.getVolumeContentSource();
    if (source.hasSnapshot()) {
      return snapshotSize(source.getSnapshot().getSnapshotId(), request);
    }
    if (source.hasVolume()) {
      StoredVolume volume =
          ground.volume("volume_content_source.volume.volume_id", source.getVolume().getVolumeId());
      fits(volume, request.getVolumeCapabilitiesList());
      return volume.volume().getCapacityBytes();
    }
    return 0;
  }

  private long snapshotSize(String id, CreateVolumeRequest request) throws Refusal {
    Snapshot snapshot = ground.snapshot("volume_content_source.snapshot.snapshot_id", id);
    if (!SnapshotService.ready(ground, snapshot)) {
      throw Refusal.precondition(
          "Snapshot %s is not ready to use. Wait until ready_to_use is true, then call again.", id);
    }
    StoredVolume from = ground.now().volumes().get(snapshot.getSourceVolumeId());
    if (from != null) {
      fits(from, request.getVolumeCapabilitiesList());
    }
    return snapshot.getSizeBytes();
  }

  /** Refuses to copy a block device to a filesystem, or the reverse. */
  private static void fits(StoredVolume source, List<VolumeCapability> wanted) throws Refusal {
    List<VolumeCapability> made = source.asked().getVolumeCapabilitiesList();
    boolean common =
        made.isEmpty()
            || wanted.stream()
                .anyMatch(
                    capability ->
                        made.stream().anyMatch(had -> had.hasBlock() == capability.hasBlock()));
    if (!common) {
      throw Refusal.invalid(
          "volume_content_source",
          "is a "
              + (made.get(0).hasBlock() ? "block device" : "filesystem")
              + ", but volume_capabilities request the other. Request the same access type.");
    }
  }
}
