package io.csi4j.volume.functional;

import static io.csi4j.volume.functional.Node.PLUGIN;
import static io.csi4j.volume.functional.Node.request;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.single;
import static io.csi4j.volume.functional.Node.usage;
import static io.csi4j.volume.model.VolumeException.Outcome.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountFlags;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.PublishContext;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.VolumeException;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.MountedVolume;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which volume is which, and what one use of it is. */
class IdentityTest {

  private static final VolumeId VOLUME = VolumeId.of("vol-1");
  private static final AccessMode MANY = AccessMode.MULTI_NODE_MULTI_WRITER;

  @Tag("L1")
  @Test
  void aVolumeThatWasMadeAnewUnderTheSameNameIsAnotherOne() {
    try (Node node = Node.open()) {
      VolumeId old = node.volume("vol-old");
      VolumeId fresh = node.volume("vol-new");
      VolumeUse before = usage("db", "web-1");
      VolumeUse after = usage("db", "web-2");

      MountedVolume first = node.mount(request(PLUGIN, before, old, MANY).build());
      MountedVolume second = node.mount(request(PLUGIN, after, fresh, MANY).build());

      assertThat(first.path().getParent().getParent())
          .isNotEqualTo(second.path().getParent().getParent());
      assertThat(node.engine().volumes()).hasSize(2);
      assertThat(node.unmount(before)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.verbs(old)).containsExactly("Stage", "Publish", "Unpublish", "Unstage");
      assertThat(node.verbs(fresh))
          .as("L1: the new volume is not touched by the release of the old one")
          .containsExactly("Stage", "Publish");
      assertThat(node.unmount(after)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("L2")
  @Test
  void kubernetes105899_twoNamesOfOneVolumeShareItsStaging() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeUse one = usage("db", "web");
      VolumeUse other = usage("db-alias", "web");

      MountedVolume first = node.mount(request(PLUGIN, one, VOLUME, MANY).build());
      MountedVolume second = node.mount(request(PLUGIN, other, VOLUME, MANY).build());

      assertThat(first.path()).isNotEqualTo(second.path());
      assertThat(node.calls())
          .as("L2: one staging for both names")
          .containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertThat(node.unmount(one)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(other)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("L3")
  @Test
  void oneVolumeInTwoNamespacesIsStagedOnce() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      VolumeUse blue = use(Namespace.of("blue"));
      VolumeUse green = use(Namespace.of("green"));

      node.mount(request(PLUGIN, blue, VOLUME, MANY).build());
      node.mount(request(PLUGIN, green, VOLUME, MANY).build());

      assertThat(node.calls())
          .as("L3: one staging for both tenants")
          .containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertThat(node.unmount(use(Namespace.of("red")))).isEqualTo(UnmountOutcome.UNKNOWN);
      assertThat(node.unmount(blue)).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.engine().hasMount(green)).isTrue();
      assertThat(node.unmount(green)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static VolumeUse use(Namespace namespace) {
    return VolumeUse.of(VolumeKey.of(namespace, "db"), WorkloadId.of("web"));
  }

  @Tag("L3")
  @Test
  void equalNamesInTwoNamespacesAreTwoVolumes() {
    try (Node node = Node.open()) {
      VolumeId first = node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      VolumeUse blue = use(Namespace.of("blue"));
      VolumeUse green = use(Namespace.of("green"));

      node.mount(request(PLUGIN, blue, first, AccessMode.SINGLE_NODE_WRITER).build());
      node.mount(request(PLUGIN, green, second, AccessMode.SINGLE_NODE_WRITER).build());

      assertThat(node.unmount(blue)).isEqualTo(UnmountOutcome.LAST);
      assertThat(node.engine().hasMount(green)).as("L3: equal names stay apart").isTrue();
      assertThat(node.unmount(green)).isEqualTo(UnmountOutcome.LAST);
    }
  }

  private static MountRequest with(String workload, MountOptions options) {
    return request("vol-1", workload, MANY).requestOptions(options).build();
  }

  @Tag("L4")
  @Test
  void otherOptionsThanTheFirstAreRefusedByTheNamesOfTheirFields() {
    MountOptions first =
        MountOptions.none().withFsType("ext4").withFlags(MountFlags.of("opt-" + Node.CANARY));
    MountOptions second =
        MountOptions.none().withFsType("xfs").withFlags(MountFlags.of("other-" + Node.CANARY));
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(with("a", first));

      VolumeException failure = node.mountFails(with("b", second));

      assertThat(failure.code())
          .as("L4: other options are refused")
          .isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.getMessage())
          .as("L4: by the names of their fields")
          .contains(
              "by workload 'a'; these differ: filesystem (it has 'ext4', this request 'xfs'), mount"
                  + " flags (not shown, as they may hold secrets); ");
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");
      node.restart(); // The options of the first are remembered, not only known.
      assertThat(node.mountFails(with("b", second)).code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      node.mount(with("b", first));
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
      node.mount(with("b", second));
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void anotherAccessModeAndAnotherAccessTypeAreRefusedAsWell() {
    try (Node node = Node.open()) {
      node.volume("vol-1");
      node.mount(shared("vol-1", "a"));

      VolumeException mode =
          node.mountFails(request("vol-1", "b", AccessMode.MULTI_NODE_READER_ONLY).build());
      VolumeException type = node.mountFails(request("vol-1", "b", MANY).block(true).build());

      assertThat(mode.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(mode.getMessage()).contains("access mode");
      assertThat(type.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
      assertThat(type.getMessage()).contains("access type");
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void nomad24922_anotherContextThanTheOneItIsMountedWithIsRefusedByName() {
    VolumeContext otherVolume = VolumeContext.of(Map.of("note", "other-" + Node.CANARY));
    PublishContext disk = PublishContext.of(Map.of("device", "sdb-" + Node.CANARY));
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountRequest mounted = request("vol-1", "a", MANY).build();
      MountRequest moved = request("vol-1", "a", MANY).publishContext(disk).build();
      MountRequest changed = request("vol-1", "a", MANY).volumeContext(otherVolume).build();
      MountRequest neighbour = request("vol-1", "b", MANY).publishContext(disk).build();
      MountedVolume there = node.mount(mounted);

      for (int start = 0; start < 2; start++) {
        VolumeException attached = node.mountFails(moved);
        VolumeException context = node.mountFails(changed);
        VolumeException other = node.mountFails(neighbour);

        assertThat(attached.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
        assertThat(attached.outcome()).isEqualTo(REFUSED);
        assertThat(attached).hasMessageContaining("these differ: publish context");
        assertThat(context.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
        assertThat(context).hasMessageContaining("these differ: volume context");
        assertThat(other.code()).isEqualTo(OperatorCode.OPTIONS_DIFFER);
        assertThat(other).hasMessageContaining("workload 'a'").hasMessageContaining("publish");
        assertThat(node.engine().refusal(moved)).isPresent();
        assertThat(node.mount(mounted)).isEqualTo(there);
        node.restart(); // They are remembered, not only known.
      }
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK");

      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
      node.mount(mounted);
      node.reboot(); // Nothing is mounted any more: the next mount may bring a new attachment.
      node.volume("vol-1");
      assertThat(node.engine().refusal(moved)).isEmpty();
      node.mount(mounted);
      assertThat(node.unmount(usage("vol-1", "a"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Tag("L5")
  @Test
  void equalValuesAreOneUseWhoeverMadeThem() {
    MountOptions options = MountOptions.none().withFlags(MountFlags.of("noatime"));
    try (Node node = Node.open()) {
      node.volume("vol-1");
      MountedVolume first = node.mount(with("a", options));
      MountedVolume again =
          node.mount(with("a", MountOptions.none().withFlags(MountFlags.of("noatime"))));
      node.mount(with("b", MountOptions.none().withFlags(MountFlags.of("noatime"))));

      assertThat(again).as("L5: equal values are one use").isEqualTo(first);
      assertThat(node.calls()).containsExactly("Stage:OK", "Publish:OK", "Publish:OK");
      assertThat(node.unmount(usage("vol-1", "b"))).isEqualTo(UnmountOutcome.NOT_LAST);
      assertThat(node.unmount(VolumeUse.of(VolumeKey.of("vol-1"), WorkloadId.of("a"))))
          .isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void oneNameOfAWorkloadForTwoVolumesAtOnceIsRefused() {
    try (Node node = Node.open()) {
      VolumeId first = node.volume("vol-1");
      VolumeId second = node.volume("vol-2");
      VolumeUse usage = usage("db", "web");
      node.mount(request(PLUGIN, usage, first, MANY).build());

      VolumeException failure = node.mountFails(request(PLUGIN, usage, second, MANY).build());

      assertThat(failure.outcome()).isEqualTo(REFUSED);
      assertThat(failure.code()).isIn(OperatorCode.OPTIONS_DIFFER, OperatorCode.NOT_ALLOWED_HERE);
      assertThat(node.verbs(second)).isEmpty();
      assertThat(node.unmount(usage)).isEqualTo(UnmountOutcome.LAST);
      node.mount(single("vol-2", "web"));
      assertThat(node.unmount(usage("vol-2", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }
}
