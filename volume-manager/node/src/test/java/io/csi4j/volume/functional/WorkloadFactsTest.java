package io.csi4j.volume.functional;

import static io.csi4j.client.model.CsiOperation.NODE_PUBLISH_VOLUME;
import static io.csi4j.client.model.CsiOperation.NODE_STAGE_VOLUME;
import static io.csi4j.volume.functional.Node.shared;
import static io.csi4j.volume.functional.Node.usage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.VolumeContext;
import io.csi4j.testkit.model.PluginShape;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.node.MountRequest;
import io.csi4j.volume.node.UnmountOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A plugin is told of the workload where a volume is published for it, and nowhere else. */
class WorkloadFactsTest {

  private static final Map<String, String> OWN = Node.context().reveal();

  private static Node node() {
    Node node =
        Node.builder().shape(PluginShape.nodeOnly().with(Quirk.WORKLOAD_FACTS_TAKEN)).open();
    node.volume("vol-1");
    return node;
  }

  private static MountRequest told(String workload, String account) {
    WorkloadFacts facts =
        WorkloadFacts.of(usage("vol-1", workload)).withUid("u-1").withServiceAccount(account);
    return shared("vol-1", workload).toBuilder().workloadFacts(facts).build();
  }

  private static Map<String, String> with(String workload, String account) {
    Map<String, String> all = new HashMap<>(OWN);
    all.put("csi.storage.k8s.io/pod.name", workload);
    all.put("csi.storage.k8s.io/pod.namespace", "default");
    all.put("csi.storage.k8s.io/pod.uid", "u-1");
    all.put("csi.storage.k8s.io/serviceAccount.name", account);
    return all;
  }

  private static List<Map<String, String>> contexts(Node node, CsiOperation operation) {
    return node.plugin().journal().calls(operation).stream()
        .map(call -> call.request().map("volume_context"))
        .toList();
  }

  @Test
  void eachWorkloadIsToldWhenItIsPublishedForAndNoneWhenItIsStaged() {
    try (Node node = node()) {
      node.mount(told("web", "front"));
      node.mount(told("job", "batch"));
      node.mount(shared("vol-1", "quiet"));

      assertThat(contexts(node, NODE_STAGE_VOLUME)).containsExactly(OWN);
      assertThat(contexts(node, NODE_PUBLISH_VOLUME))
          .containsExactly(with("web", "front"), with("job", "batch"), OWN);
      for (String workload : List.of("web", "job", "quiet")) {
        node.unmount(usage("vol-1", workload));
      }
    }
  }

  @Test
  void otherFactsComeWithARefreshAndNotWithARepeatedMount() {
    try (Node node = node()) {
      node.mount(told("web", "front"));

      node.mount(told("web", "back"));
      assertThat(contexts(node, NODE_PUBLISH_VOLUME)).containsExactly(with("web", "front"));

      node.get(node.engine().refresh(told("web", "back")));
      assertThat(contexts(node, NODE_PUBLISH_VOLUME))
          .containsExactly(with("web", "front"), with("web", "back"));
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void whatIsMountedAgainAfterARebootIsToldAgain() {
    try (Node node = node()) {
      node.mount(told("web", "front"));
      node.reboot();
      node.volume("vol-1");

      node.mount(told("web", "front"));

      assertThat(contexts(node, NODE_PUBLISH_VOLUME))
          .containsExactly(with("web", "front"), with("web", "front"));
      assertThat(contexts(node, NODE_STAGE_VOLUME)).containsExactly(OWN, OWN);
      assertThat(node.unmount(usage("vol-1", "web"))).isEqualTo(UnmountOutcome.LAST);
    }
  }

  @Test
  void aKeyThatTheVolumeHasItselfIsNotWrittenOver() {
    WorkloadFacts facts = WorkloadFacts.of(usage("vol-1", "web"));
    MountRequest.Builder request =
        shared("vol-1", "web").toBuilder()
            .volumeContext(VolumeContext.of(Map.of("csi.storage.k8s.io/pod.name", "own")))
            .workloadFacts(facts);

    assertThatThrownBy(request::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "The context has the key 'csi.storage.k8s.io/pod.name' already. Remove one of the two"
                + " entries.");
    assertThat(facts)
        .hasToString(
            "WorkloadFacts[csi.storage.k8s.io/pod.name, csi.storage.k8s.io/pod.namespace]");
  }
}
