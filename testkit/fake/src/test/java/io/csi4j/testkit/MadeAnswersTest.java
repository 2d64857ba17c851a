package io.csi4j.testkit;

import static io.csi4j.client.model.CsiOperation.CONTROLLER_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.CREATE_SNAPSHOT;
import static io.csi4j.client.model.CsiOperation.CREATE_VOLUME;
import static io.csi4j.client.model.CsiOperation.GET_PLUGIN_INFO;
import static io.csi4j.client.model.CsiOperation.LIST_VOLUMES;
import static io.csi4j.client.model.CsiOperation.NODE_GET_INFO;
import static io.csi4j.client.model.CsiOperation.NODE_GET_VOLUME_STATS;
import static io.csi4j.client.model.CsiOperation.PROBE;
import static io.csi4j.client.model.CsiOperation.VALIDATE_VOLUME_CAPABILITIES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.BoolValue;
import io.csi4j.client.CsiPlugin;
import io.csi4j.client.controller.ControllerPublishVolumeRequest;
import io.csi4j.client.controller.CreateVolumeRequest;
import io.csi4j.client.controller.ListVolumesRequest;
import io.csi4j.client.controller.ValidateVolumeCapabilitiesRequest;
import io.csi4j.client.controller.ValidationResult;
import io.csi4j.client.internal.proto.ProbeRequest;
import io.csi4j.client.internal.proto.ProbeResponse;
import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.NodeId;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.model.Topology;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.testkit.RawCaller.Pending;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.When;
import io.csi4j.testkit.internal.journal.MessageFields;
import io.csi4j.testkit.internal.journal.WireOperation;
import io.csi4j.testkit.journal.CallEnd;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.VirtualClock;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers that a test makes: in place of the work, after it, or out of the plugin's own. */
class MadeAnswersTest {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final VolumeId VOLUME = VolumeId.of("v1");
  private static final VolumeId OTHER = VolumeId.of("v2");
  private static final VolumeCapability WRITER =
      VolumeCapability.mount(AccessMode.SINGLE_NODE_WRITER);

  private FakeCsiPlugin fake;
  private CsiPlugin plugin;

  @BeforeEach
  void open() {
    fake = FakeCsiPlugin.open(PluginShape.full().topologies(Topology.of(Map.of("zone", "a"))));
    plugin = CsiPlugin.connect(fake.endpoint());
    fake.addVolume(VOLUME);
    fake.addVolume(OTHER);
  }

  @AfterEach
  void close() {
    plugin.close();
    fake.close();
  }

  private Map<String, String> attached(VolumeId volume) {
    return plugin
        .controller()
        .publishVolume(
            ControllerPublishVolumeRequest.builder(volume, NodeId.of("node-1"), WRITER).build())
        .publishContext()
        .reveal();
  }

  @Test
  void anAnswerIsMadeOfTheRequestAndNothingIsDone() {
    FaultRule rule =
        fake.answer(
            CONTROLLER_PUBLISH_VOLUME,
            request ->
                Map.of(
                    "publish_context",
                    PublishContext.of(Map.of("device", "/dev/" + request.text("volume_id")))));

    assertThat(attached(VOLUME)).isEqualTo(Map.of("device", "/dev/v1"));
    assertThat(fake.contents().attached()).isEmpty();
    assertThat(rule.hits()).isEqualTo(1);

    rule.close();
    assertThat(attached(VOLUME)).doesNotContainKey("device");
  }

  @Test
  void theWorkMayBeDoneBefore() {
    fake.inject(
        Fault.apply().then(Fault.answer(request -> Map.of())),
        When.calling(CONTROLLER_PUBLISH_VOLUME));

    assertThat(attached(VOLUME)).isEmpty();
    assertThat(fake.contents().attached()).hasSize(1);
  }

  @Test
  void theAnswerOfOneVolumeAndOneCallIsChanged() {
    fake.inject(
        Fault.change(
            (request, answer) ->
                Map.of(
                    "publish_context",
                    Map.of("keys", String.valueOf(answer.map("publish_context").size())))),
        When.calling(CONTROLLER_PUBLISH_VOLUME).ofVolume(OTHER).nth(2));

    assertThat(attached(OTHER)).doesNotContainKey("keys");
    assertThat(attached(VOLUME)).doesNotContainKey("keys");
    assertThat(attached(OTHER)).containsOnlyKeys("keys");
    assertThat(attached(OTHER)).doesNotContainKey("keys");
  }

  @Test
  void fieldsWithinAMessageStayUnlessTheyAreNamed() {
    fake.inject(
        Fault.change(
            (request, answer) ->
                Map.of(
                    "volume",
                    Map.of(
                        "volume_context",
                        VolumeContext.of(Map.of("server", "10.0.0.1")),
                        "accessible_topology",
                        List.of(
                            Topology.of(Map.of("zone", "a")), Topology.of(Map.of("zone", "b")))))),
        When.calling(CREATE_VOLUME));

    var made =
        plugin
            .controller()
            .createVolume(CreateVolumeRequest.builder("new", List.of(WRITER)).build());
    assertThat(fake.contents().volumes()).contains(made.id());
    assertThat(made.context().reveal()).isEqualTo(Map.of("server", "10.0.0.1"));
    assertThat(made.accessibleTopology())
        .containsExactly(Topology.of(Map.of("zone", "a")), Topology.of(Map.of("zone", "b")));
    assertThat(made.capacityBytes()).isPresent();
  }

  @Test
  void aConfirmationMayBePartOfWhatWasAsked() {
    fake.answer(
        VALIDATE_VOLUME_CAPABILITIES,
        request ->
            Map.of(
                "confirmed",
                Map.of(
                    "volume_capabilities", request.messages("volume_capabilities").subList(0, 1))));

    var validated =
        plugin
            .controller()
            .validateVolumeCapabilities(
                ValidateVolumeCapabilitiesRequest.builder(
                        VOLUME,
                        List.of(WRITER, VolumeCapability.block(AccessMode.SINGLE_NODE_WRITER)))
                    .build());
    assertThat(validated)
        .isInstanceOfSatisfying(
            ValidationResult.Mismatch.class,
            mismatch -> assertThat(mismatch.confirmation().capabilities()).containsExactly(WRITER));
    assertThat(fake.journal().calls(VALIDATE_VOLUME_CAPABILITIES).get(0).end())
        .hasValueSatisfying(
            end ->
                assertThat(
                        ((CallEnd.Answered) end)
                            .messages()
                            .get(0)
                            .message("confirmed")
                            .messages("volume_capabilities"))
                    .hasSize(1));
  }

  @Test
  void valuesOfEveryKindReachTheirFields() {
    assertThat(
            MessageFields.with(
                    WireOperation.of(CREATE_SNAPSHOT).answer(),
                    Map.of(
                        "snapshot",
                        Map.of(
                            "size_bytes",
                            7,
                            "ready_to_use",
                            true,
                            "creation_time",
                            Instant.parse("2030-01-31T12:00:00.5Z"))))
                .toString())
        .isEqualTo(
            """
            snapshot {
              size_bytes: 7
              creation_time {
                seconds: 1896091200
                nanos: 500000000
              }
              ready_to_use: true
            }
            """);
    assertThat(
            MessageFields.with(
                    WireOperation.of(NODE_GET_VOLUME_STATS).answer(),
                    Map.of(
                        "usage",
                        List.of(Map.of("unit", "BYTES", "total", 9L), Map.of("unit", 4711))))
                .toString())
        .isEqualTo("usage {\n  total: 9\n  unit: BYTES\n}\nusage {\n  unit: 4711\n}\n");
    assertThat(
            MessageFields.with(WireOperation.of(PROBE).answer(), Map.of("ready", false)).toString())
        .isEqualTo("ready {\n}\n");
  }

  @Test
  void answersComposeWithFaultsAndAreCountedAmongThem() {
    VirtualClock clock = VirtualClock.create();
    try (FakeCsiPlugin slow = FakeCsiPlugin.builder().clock(clock).open();
        RawCaller caller = new RawCaller(slow.endpoint())) {
      slow.inject(
          Fault.delay(Duration.ofSeconds(5)).then(Fault.answer(request -> Map.of("ready", false))),
          When.calling(PROBE).from(2));
      slow.inject(Fault.fail(StatusCode.ABORTED, "busy"), When.calling(PROBE).once());

      assertThat(caller.call(PROBE, ProbeRequest.getDefaultInstance()).code())
          .isEqualTo(Status.Code.ABORTED);
      Pending second = caller.begin(PROBE, ProbeRequest.getDefaultInstance());
      slow.journal().await(call -> call.number() == 2, SOON);
      assertThat(second.end()).isNotDone();
      while (!second.end().isDone()) {
        clock.advance(Duration.ofSeconds(5));
      }
      assertThat(second.ended().messages().get(0))
          .isEqualTo(
              ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build().toByteArray());
      assertThat(slow.journal().calls().get(1).end())
          .hasValueSatisfying(
              end ->
                  assertThat(((CallEnd.Answered) end).messages().get(0).flag("ready")).isFalse());
    }
  }

  @Test
  void anAnswerThatIsNoneEndsTheCallAndSaysWhy() {
    fake.answer(NODE_GET_INFO, request -> Map.of("node", "n"));

    assertThatThrownBy(() -> plugin.node().getInfo())
        .isInstanceOf(CsiException.class)
        .hasMessageContaining(
            "The answer that the test gave for NodeGetInfo is invalid: A NodeGetInfoResponse has no"
                + " field 'node'. It has node_id, max_volumes_per_node, accessible_topology.");

    fake.clearFaults();
    fake.answer(NODE_GET_INFO, request -> Map.of("node_id", 7));
    assertThatThrownBy(() -> plugin.node().getInfo())
        .hasMessageContaining(
            "The field node_id of a NodeGetInfoResponse takes a text, but got a number.");

    fake.clearFaults();
    fake.answer(
        NODE_GET_INFO,
        request -> {
          throw new IllegalStateException("the test is broken");
        });
    assertThatThrownBy(() -> plugin.node().getInfo()).hasMessageContaining("the test is broken");
  }

  @Test
  void anAnswerOfJsonIsReadBeforeItIsGiven() {
    fake.inject(
        Fault.change(LIST_VOLUMES, "{\"next_token\": null, \"entries\": []}"),
        When.calling(LIST_VOLUMES));
    assertThat(plugin.controller().volumes(ListVolumesRequest.builder().build())).isEmpty();

    assertThatThrownBy(() -> Fault.answer(GET_PLUGIN_INFO, "{\"nam\": \"x\"}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "A GetPluginInfoResponse has no field 'nam'. It has name, vendor_version, manifest.");
    assertThatThrownBy(() -> Fault.answer(GET_PLUGIN_INFO, "{\"name\": }"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at character 10");
    assertThatThrownBy(() -> Fault.change(GET_PLUGIN_INFO, "[]"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
