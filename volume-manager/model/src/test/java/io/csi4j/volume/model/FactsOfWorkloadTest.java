package io.csi4j.volume.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.client.model.VolumeContext;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The facts of a workload are values that a record and a message can hold. */
class FactsOfWorkloadTest {

  private static final VolumeUse WEB = VolumeUse.of(VolumeKey.of("db"), WorkloadId.of("web"));

  private static WorkloadFacts facts() {
    return WorkloadFacts.of(WEB).withUid("u-1").withServiceAccount("front");
  }

  @Test
  void theKeysAreThoseOfAKubelet() {
    assertThat(facts().entries())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "csi.storage.k8s.io/pod.name", "web",
                "csi.storage.k8s.io/pod.namespace", "default",
                "csi.storage.k8s.io/pod.uid", "u-1",
                "csi.storage.k8s.io/serviceAccount.name", "front"));
    assertThat(WorkloadFacts.from(facts().entries())).isEqualTo(facts());
  }

  @Test
  void aValueThatIsNoNameIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkloadFacts.of(WEB).withUid(""))
        .withMessage(
            "The fact 'csi.storage.k8s.io/pod.uid' of the workload is empty. Give the name that"
                + " the host uses.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkloadFacts.of(WEB).withServiceAccount("a\nb"))
        .withMessage(
            "The fact 'csi.storage.k8s.io/serviceAccount.name' of the workload has a control"
                + " character at 1. Leave it out.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkloadFacts.from(Map.of("csi.storage.k8s.io/pod.uid", "\ud800")))
        .withMessage(
            "The fact 'csi.storage.k8s.io/pod.uid' of the workload is not valid Unicode: lone"
                + " surrogate at 0.");
  }

  @Test
  void aKeyThatIsNoneOfAKubeletIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkloadFacts.from(Map.of("pool\n", "fast")))
        .withMessage(
            "The fact 'pool\\n' of a workload has a key that no kubelet uses. Begin it with"
                + " 'csi.storage.k8s.io/'.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkloadFacts.from(Map.of("csi.storage.k8s.io/\u0000", "a")))
        .withMessage("The key of a fact has a control character at 19. Leave it out.");
  }

  @Test
  void theKeysThatAContextHasItselfAreNamed() {
    assertThat(facts().keysIn(VolumeContext.of(Map.of("tier", "fast")))).isEmpty();
    assertThat(
            facts()
                .keysIn(
                    VolumeContext.of(Map.of("csi.storage.k8s.io/pod.name", "own", "tier", "fast"))))
        .containsExactly("csi.storage.k8s.io/pod.name");
  }
}
