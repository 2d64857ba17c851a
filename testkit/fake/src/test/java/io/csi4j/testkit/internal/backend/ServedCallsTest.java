package io.csi4j.testkit.internal.backend;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_GET_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_LIST_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_MODIFY_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CONTROLLER_UNPUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME;
import static io.csi4j.client.model.CsiOperation.DELETE_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.GET_CAPACITY;
import static io.csi4j.client.model.CsiOperation.GET_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.GET_VOLUME_GROUP_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.LIST_SNAPSHOTS;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_EXPAND_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_GET_STORAGE_HEALTH;
import static io.csi4j.client.model.CsiOperation.NODE_GET_VOLUME_HEALTH;
import static io.csi4j.client.model.CsiOperation.NODE_GET_VOLUME_STATS;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_UNSTAGE_VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Message;
import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.model.PluginShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A call that a shape does not offer is UNIMPLEMENTED, and every other is not. */
class ServedCallsTest {

  private static final PluginShape EVERYTHING =
      PluginShape.full()
          .with(PluginCapability.values())
          .with(ControllerCapability.values())
          .with(NodeCapability.values());

  private static Set<CsiOperation> unserved(PluginShape shape, String lacking) {
    Asking plugin = new Asking(shape);
    EnumSet<CsiOperation> unserved = EnumSet.noneOf(CsiOperation.class);
    for (Message request : Lawful.requests()) {
      try {
        assertThat(plugin.answers(Asking.ONE, request)).isNotEmpty();
      } catch (Refusal refusal) {
        if (refusal.code() == StatusCode.UNIMPLEMENTED) {
          unserved.add(Asking.operation(request));
          assertThat(refusal.text()).contains(lacking);
        }
      }
    }
    return unserved;
  }

  private static Set<CsiOperation> of(CsiOperation.Service service) {
    EnumSet<CsiOperation> operations = EnumSet.noneOf(CsiOperation.class);
    Arrays.stream(CsiOperation.values())
        .filter(operation -> operation.service() == service)
        .forEach(operations::add);
    return operations;
  }

  @TestFactory
  Stream<DynamicTest> controllerCapabilities() {
    List<DynamicTest> tests = new ArrayList<>();
    for (ControllerCapability capability : ControllerCapability.values()) {
      Set<CsiOperation> expected =
          switch (capability) {
            case CREATE_DELETE_VOLUME -> Set.of(CREATE_VOLUME, DELETE_VOLUME);
            case PUBLISH_UNPUBLISH_VOLUME ->
                Set.of(CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME);
            case LIST_VOLUMES -> Set.of(LIST_VOLUMES);
            case LIST_VOLUME_HEALTH -> Set.of(CONTROLLER_LIST_VOLUME_HEALTH);
            case GET_CAPACITY -> Set.of(GET_CAPACITY);
            case CREATE_DELETE_SNAPSHOT -> Set.of(CREATE_SNAPSHOT, DELETE_SNAPSHOT);
            case LIST_SNAPSHOTS -> Set.of(LIST_SNAPSHOTS);
            case GET_SNAPSHOT -> Set.of(GET_SNAPSHOT);
            case EXPAND_VOLUME -> Set.of(CONTROLLER_EXPAND_VOLUME);
            case GET_VOLUME -> Set.of(CONTROLLER_GET_VOLUME);
            case MODIFY_VOLUME -> Set.of(CONTROLLER_MODIFY_VOLUME);
            case CLONE_VOLUME,
                PUBLISH_READONLY,
                LIST_VOLUMES_PUBLISHED_NODES,
                VOLUME_CONDITION,
                GET_VOLUME_HEALTH,
                SINGLE_NODE_MULTI_WRITER ->
                Set.of();
          };
      tests.add(
          DynamicTest.dynamicTest(
              capability.name(),
              () ->
                  assertThat(unserved(EVERYTHING.without(capability), capability.name()))
                      .isEqualTo(expected)));
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> nodeCapabilities() {
    List<DynamicTest> tests = new ArrayList<>();
    for (NodeCapability capability : NodeCapability.values()) {
      Set<CsiOperation> expected =
          switch (capability) {
            case STAGE_UNSTAGE_VOLUME -> Set.of(NODE_STAGE_VOLUME, NODE_UNSTAGE_VOLUME);
            case EXPAND_VOLUME -> Set.of(NODE_EXPAND_VOLUME);
            case GET_VOLUME_HEALTH -> Set.of(NODE_GET_VOLUME_HEALTH);
            case GET_STORAGE_HEALTH -> Set.of(NODE_GET_STORAGE_HEALTH);
            case GET_VOLUME_STATS, VOLUME_CONDITION, SINGLE_NODE_MULTI_WRITER, VOLUME_MOUNT_GROUP ->
                Set.of();
          };
      tests.add(
          DynamicTest.dynamicTest(
              capability.name(),
              () ->
                  assertThat(unserved(EVERYTHING.without(capability), capability.name()))
                      .isEqualTo(expected)));
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> services() {
    List<DynamicTest> tests = new ArrayList<>();
    for (PluginCapability capability : PluginCapability.values()) {
      Set<CsiOperation> expected =
          switch (capability) {
            case CONTROLLER_SERVICE -> of(CsiOperation.Service.CONTROLLER);
            case GROUP_CONTROLLER_SERVICE -> of(CsiOperation.Service.GROUP_CONTROLLER);
            case SNAPSHOT_METADATA_SERVICE -> of(CsiOperation.Service.SNAPSHOT_METADATA);
            default -> Set.of();
          };
      tests.add(
          DynamicTest.dynamicTest(
              capability.name(),
              () ->
                  assertThat(unserved(EVERYTHING.without(capability), capability.name()))
                      .isEqualTo(expected)));
    }
    return tests.stream();
  }

  @Test
  void statisticsNeedOneOfTwoCapabilities() {
    assertThat(
            unserved(
                EVERYTHING.without(
                    NodeCapability.GET_VOLUME_STATS, NodeCapability.VOLUME_CONDITION),
                "GET_VOLUME_STATS"))
        .isEqualTo(Set.of(NODE_GET_VOLUME_STATS));
  }

  @Test
  void theHealthOfAVolumeNeedsOneOfTwoCapabilities() {
    assertThat(
            unserved(
                EVERYTHING.without(
                    ControllerCapability.GET_VOLUME_HEALTH,
                    ControllerCapability.LIST_VOLUME_HEALTH),
                "_VOLUME_HEALTH"))
        .isEqualTo(Set.of(CONTROLLER_GET_VOLUME_HEALTH, CONTROLLER_LIST_VOLUME_HEALTH));
  }

  @Test
  void groupsNeedTheirCapability() {
    assertThat(
            unserved(
                EVERYTHING.without(
                    GroupControllerCapability.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
                "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT"))
        .isEqualTo(
            Set.of(
                CREATE_VOLUME_GROUP_SNAPSHOT,
                DELETE_VOLUME_GROUP_SNAPSHOT,
                GET_VOLUME_GROUP_SNAPSHOT));
  }

  @Test
  void aSocketWithoutANodeServesNoNodeCall() {
    Asking plugin = new Asking(EVERYTHING);
    for (Message request : Lawful.requests()) {
      if (Asking.isNode(request)) {
        CsiOperation operation = Asking.operation(request);
        Refusal refusal =
            assertThatExceptionOfType(Refusal.class)
                .isThrownBy(
                    () -> plugin.backend.answer(new Backend.Asked(operation, null, request)))
                .actual();
        assertThat(refusal.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
        assertThat(refusal.text())
            .isEqualTo(
                operation.rpcName()
                    + " is not served: this plugin does not offer the node service, which another"
                    + " socket serves. Read its capabilities before calling.");
      }
    }
  }

  @Test
  void whatIsNotOfferedIsUnimplementedBeforeTheRequestIsLookedAt() {
    Asking plugin = new Asking(EVERYTHING.without(ControllerCapability.CREATE_DELETE_VOLUME));
    Refusal refusal =
        plugin.refusal(io.csi4j.client.internal.proto.CreateVolumeRequest.getDefaultInstance());
    assertThat(refusal.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
  }
}
