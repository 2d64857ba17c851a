package io.csi4j.client.internal.rules;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.internal.proto.ControllerPublishVolumeRequest;
import io.csi4j.client.internal.proto.CreateSnapshotRequest;
import io.csi4j.client.internal.proto.CreateVolumeRequest;
import io.csi4j.client.internal.proto.GetCapacityRequest;
import io.csi4j.client.internal.proto.NodeGetVolumeHealthRequest;
import io.csi4j.client.internal.proto.NodePublishVolumeRequest;
import io.csi4j.client.internal.proto.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.internal.proto.VolumeCapability;
import io.csi4j.client.internal.proto.VolumeCapability.AccessMode.Mode;
import io.csi4j.client.internal.redaction.SpecFields;
import io.csi4j.client.model.CapabilitySet;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Violation;
import io.csi4j.client.node.NodeCapability;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The capabilities that a plugin must offer before a call may be sent to it. */
public final class CapabilityRules {

  /**
   * The request fields that contain capabilities of volumes, found once for each kind of message.
   */
  private static final Map<Descriptor, List<FieldDescriptor>> CAPABILITIES =
      new ConcurrentHashMap<>();

  private final CsiOperation operation;
  // The needs found so far. Most node calls need no capability.
  private List<Need> needs = List.of();

  private CapabilityRules(CsiOperation operation) {
    this.operation = operation;
  }

  /** The call that reports a capability. */
  public enum Source {
    /** In {@code GetPluginCapabilities}, as {@link PluginCapability}. */
    PLUGIN("plugin"),
    /** In {@code ControllerGetCapabilities}, as {@link ControllerCapability}. */
    CONTROLLER("controller"),
    /** In {@code NodeGetCapabilities}, as {@link NodeCapability}. */
    NODE("node"),
    /** In {@code GroupControllerGetCapabilities}, as {@link GroupControllerCapability}. */
    GROUP_CONTROLLER("group controller");

    private final String text;

    Source(String text) {
      this.text = text;
    }
  }

  /**
   * A capability that a call needs.
   *
   * @param source the call in which the plugin reports the capability
   * @param anyOf the capabilities of which any one suffices
   * @param field the field that makes the capability necessary; empty if the call itself needs it
   * @param what the part of the call that needs the capability, such as {@code CreateVolume with a
   *     snapshot as source}
   * @param advice the next step if the capability is missing, as a sentence
   */
  public record Need(
      Source source, List<Enum<?>> anyOf, Optional<String> field, String what, String advice) {

    /** Returns the capability by its name in the spec; several are joined by "or". */
    public String capability() {
      return anyOf.stream().map(Enum::name).collect(Collectors.joining(" or "));
    }

    /** Returns whether one of the alternatives is offered. */
    public boolean isMet(Map<Source, CapabilitySet<?>> offered) {
      CapabilitySet<?> set = offered.get(source);
      return set != null && !Collections.disjoint(set.offered(), anyOf);
    }

    /** Returns, as a clause, why the call is not sent when the capability is missing. */
    public String missing() {
      return what
          + " needs the "
          + source.text
          + " capability "
          + capability()
          + ", which the plugin does not offer";
    }
  }

  /**
   * Returns the capabilities that {@code request}, a generated message of {@code operation}, needs:
   * first for the service, then for the call, then for its fields. A call that releases a resource
   * needs no capability. A volume that was staged or published must be released even if the plugin
   * no longer offers the capability, and a plugin that cannot release it reports a failure.
   */
  public static List<Need> needs(CsiOperation operation, Message request) {
    if (operation.givesBack()) {
      return List.of();
    }
    CapabilityRules rules = new CapabilityRules(operation);
    rules.service();
    rules.call();
    rules.fields(request);
    return rules.needs;
  }

  /**
   * Returns the first need that is not met. A source that is missing from {@code offered} offers no
   * capability.
   */
  public static Optional<Need> firstMissing(
      List<Need> needs, Map<Source, CapabilitySet<?>> offered) {
    for (Need need : needs) {
      if (!need.isMet(offered)) {
        return Optional.of(need);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether the request is for an inline volume, in the form that kubelet uses. An inline
   * volume is created when it is published.
   */
  private static boolean isInline(NodePublishVolumeRequest publish) {
    return "true".equals(publish.getVolumeContextMap().get("csi.storage.k8s.io/ephemeral"));
  }

  /** Returns the faults of a request that depend on the plugin's capabilities. */
  public static List<Violation> conditional(
      CsiOperation operation, Message request, Map<Source, CapabilitySet<?>> offered) {
    CapabilitySet<?> node = offered.get(Source.NODE);
    if (operation == CsiOperation.NODE_PUBLISH_VOLUME
        && request instanceof NodePublishVolumeRequest publish
        && publish.getStagingTargetPath().isEmpty()
        && !isInline(publish)
        && node != null
        && node.offered().contains(NodeCapability.STAGE_UNSTAGE_VOLUME)) {
      return List.of(
          new Violation(
              "staging_target_path",
              Violation.Rule.REQUIRED,
              "is empty, and the plugin offers STAGE_UNSTAGE_VOLUME"));
    }
    return List.of();
  }

  private void service() {
    switch (operation.service()) {
      case CONTROLLER -> call(Source.PLUGIN, PluginCapability.CONTROLLER_SERVICE);
      case GROUP_CONTROLLER -> call(Source.PLUGIN, PluginCapability.GROUP_CONTROLLER_SERVICE);
      case SNAPSHOT_METADATA -> call(Source.PLUGIN, PluginCapability.SNAPSHOT_METADATA_SERVICE);
      case IDENTITY, NODE -> {}
    }
  }

  private void call() {
    switch (operation) {
      case CREATE_VOLUME -> call(Source.CONTROLLER, ControllerCapability.CREATE_DELETE_VOLUME);
      case CONTROLLER_PUBLISH_VOLUME ->
          call(Source.CONTROLLER, ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
      case LIST_VOLUMES -> call(Source.CONTROLLER, ControllerCapability.LIST_VOLUMES);
      case CONTROLLER_LIST_VOLUME_HEALTH ->
          call(Source.CONTROLLER, ControllerCapability.LIST_VOLUME_HEALTH);
      case CONTROLLER_GET_VOLUME_HEALTH ->
          call(
              Source.CONTROLLER,
              ControllerCapability.GET_VOLUME_HEALTH,
              ControllerCapability.LIST_VOLUME_HEALTH);
      case GET_CAPACITY -> call(Source.CONTROLLER, ControllerCapability.GET_CAPACITY);
      case CREATE_SNAPSHOT -> call(Source.CONTROLLER, ControllerCapability.CREATE_DELETE_SNAPSHOT);
      case LIST_SNAPSHOTS -> call(Source.CONTROLLER, ControllerCapability.LIST_SNAPSHOTS);
      case GET_SNAPSHOT -> call(Source.CONTROLLER, ControllerCapability.GET_SNAPSHOT);
      case CONTROLLER_EXPAND_VOLUME -> call(Source.CONTROLLER, ControllerCapability.EXPAND_VOLUME);
      case CONTROLLER_GET_VOLUME -> call(Source.CONTROLLER, ControllerCapability.GET_VOLUME);
      case CONTROLLER_MODIFY_VOLUME -> call(Source.CONTROLLER, ControllerCapability.MODIFY_VOLUME);
      case CREATE_VOLUME_GROUP_SNAPSHOT, GET_VOLUME_GROUP_SNAPSHOT ->
          call(
              Source.GROUP_CONTROLLER,
              GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT);
      case NODE_STAGE_VOLUME -> call(Source.NODE, NodeCapability.STAGE_UNSTAGE_VOLUME);
      case NODE_GET_VOLUME_STATS ->
          call(Source.NODE, NodeCapability.GET_VOLUME_STATS, NodeCapability.VOLUME_CONDITION);
      case NODE_GET_VOLUME_HEALTH -> call(Source.NODE, NodeCapability.GET_VOLUME_HEALTH);
      case NODE_GET_STORAGE_HEALTH -> call(Source.NODE, NodeCapability.GET_STORAGE_HEALTH);
      case NODE_EXPAND_VOLUME -> call(Source.NODE, NodeCapability.EXPAND_VOLUME);
      case GET_PLUGIN_INFO,
          GET_PLUGIN_CAPABILITIES,
          PROBE,
          VALIDATE_VOLUME_CAPABILITIES,
          CONTROLLER_GET_CAPABILITIES,
          GROUP_CONTROLLER_GET_CAPABILITIES,
          GET_METADATA_ALLOCATED,
          GET_METADATA_DELTA,
          NODE_PUBLISH_VOLUME,
          NODE_GET_CAPABILITIES,
          NODE_GET_INFO,
          // These calls release resources, so they need no capability.
          NODE_UNSTAGE_VOLUME,
          NODE_UNPUBLISH_VOLUME,
          CONTROLLER_UNPUBLISH_VOLUME,
          DELETE_VOLUME,
          DELETE_SNAPSHOT,
          DELETE_VOLUME_GROUP_SNAPSHOT -> {}
    }
  }

  private void fields(Message request) {
    if (request instanceof CreateVolumeRequest create) {
      createVolume(create);
    } else if (request instanceof ValidateVolumeCapabilitiesRequest validate) {
      mutableParameters(validate.getMutableParamsCount());
    } else if (request instanceof ControllerPublishVolumeRequest publish && publish.getReadonly()) {
      field(
          Source.CONTROLLER,
          ControllerCapability.PUBLISH_READONLY,
          "readonly",
          "readonly",
          "Attach it without readonly, and publish it for reading only on the node.");
    } else if (request instanceof GetCapacityRequest capacity && capacity.hasAccessibleTopology()) {
      topology("accessible_topology");
    } else if (request instanceof CreateSnapshotRequest create
        && create.hasAccessibilityRequirements()) {
      field(
          Source.PLUGIN,
          PluginCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS,
          "accessibility_requirements",
          "accessibility_requirements",
          "Leave it out: this plugin chooses the place of a snapshot itself.");
    } else if (request instanceof NodeGetVolumeHealthRequest health
        && !health.getStagingTargetPath().isEmpty()) {
      field(
          Source.NODE,
          NodeCapability.STAGE_UNSTAGE_VOLUME,
          "staging_target_path",
          "staging_target_path",
          "Leave it out: this plugin does not stage volumes.");
    }
    // This loop uses no iterators, because it runs on every call.
    List<FieldDescriptor> fields = capabilities(request.getDescriptorForType());
    for (int each = 0; each < fields.size(); each++) {
      FieldDescriptor field = fields.get(each);
      if (!field.isRepeated()) {
        volumeCapability(field.getName(), (VolumeCapability) request.getField(field));
        continue;
      }
      List<?> elements = SpecFields.list(request, field);
      for (int i = 0; i < elements.size(); i++) {
        volumeCapability(field.getName() + "[" + i + "]", (VolumeCapability) elements.get(i));
      }
    }
  }

  /** Returns the fields that contain capabilities of a volume. */
  private static List<FieldDescriptor> capabilities(Descriptor type) {
    List<FieldDescriptor> known = CAPABILITIES.get(type);
    return known != null
        ? known
        : CAPABILITIES.computeIfAbsent(type, CapabilityRules::readCapabilities);
  }

  /** Finds the fields in the descriptor of the message. */
  static List<FieldDescriptor> readCapabilities(Descriptor type) {
    return type.getFields().stream()
        .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.MESSAGE)
        .filter(field -> field.getMessageType() == VolumeCapability.getDescriptor())
        .toList();
  }

  private void createVolume(CreateVolumeRequest create) {
    if (create.getVolumeContentSource().hasSnapshot()) {
      field(
          Source.CONTROLLER,
          ControllerCapability.CREATE_DELETE_SNAPSHOT,
          "volume_content_source.snapshot",
          "a snapshot as source",
          "Create an empty volume and fill it yourself, or use another plugin.");
    }
    if (create.getVolumeContentSource().hasVolume()) {
      field(
          Source.CONTROLLER,
          ControllerCapability.CLONE_VOLUME,
          "volume_content_source.volume",
          "a volume as source",
          "Create an empty volume and fill it yourself, or use another plugin.");
    }
    if (create.hasAccessibilityRequirements()) {
      topology("accessibility_requirements");
    }
    mutableParameters(create.getMutableParamsCount());
  }

  private void mutableParameters(int count) {
    if (count > 0) {
      field(
          Source.CONTROLLER,
          ControllerCapability.MODIFY_VOLUME,
          "mutable_parameters",
          "mutable_parameters",
          "Leave them out, or give them as parameters.");
    }
  }

  private void topology(String field) {
    field(
        Source.PLUGIN,
        PluginCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS,
        field,
        field,
        "Leave it out: the volumes of this plugin are accessible from every node.");
  }

  private void volumeCapability(String at, VolumeCapability capability) {
    boolean node = operation.service() == CsiOperation.Service.NODE;
    Mode mode = capability.getAccessMode().getMode();
    if (mode == Mode.SINGLE_NODE_SINGLE_WRITER || mode == Mode.SINGLE_NODE_MULTI_WRITER) {
      field(
          node ? Source.NODE : Source.CONTROLLER,
          node
              ? NodeCapability.SINGLE_NODE_MULTI_WRITER
              : ControllerCapability.SINGLE_NODE_MULTI_WRITER,
          at + ".access_mode.mode",
          "the access mode " + mode,
          "Use AccessMode.withoutSingleNodeMultiWriter().");
    }
    if (node && !capability.getMount().getVolumeMountGroup().isEmpty()) {
      field(
          Source.NODE,
          NodeCapability.VOLUME_MOUNT_GROUP,
          at + ".mount.volume_mount_group",
          "a volume_mount_group",
          "Leave it out, and change the owner of the files after publishing.");
    }
  }

  private void call(Source source, Enum<?>... anyOf) {
    add(
        new Need(
            source,
            List.of(anyOf),
            Optional.empty(),
            operation.rpcName(),
            "Avoid this call, or use another plugin."));
  }

  private void field(Source source, Enum<?> capability, String field, String with, String advice) {
    add(
        new Need(
            source,
            List.of(capability),
            Optional.of(field),
            operation.rpcName() + " with " + with,
            advice));
  }

  private void add(Need need) {
    needs = needs.isEmpty() ? new ArrayList<>() : needs;
    needs.add(need);
  }
}
