package io.csi4j.volume.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.VolumeId;
import io.csi4j.volume.internal.text.Messages;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.OperatorCode;
import io.csi4j.volume.model.OperatorMessage;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.VolumeHealth;
import io.csi4j.volume.model.VolumeIdentity;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.Explanation.Explained;
import io.csi4j.volume.node.Explanation.Trouble;
import io.csi4j.volume.node.Explanation.Work;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What people read who ask why a volume is not there. */
class ExplanationTest {

  private static final VolumeKey KEY = VolumeKey.of(Namespace.of("shop"), "db-1");
  private static final VolumeUse WEB_1 = VolumeUse.of(KEY, WorkloadId.of("web-1"));
  private static final VolumeUse WEB_2 = VolumeUse.of(KEY, WorkloadId.of("web-2"));
  private static final OperatorMessage STUCK =
      Messages.of(OperatorCode.RPC_STUCK, Subject.of("staging"), "no answer in 2 min");

  private static final String SUBJECT = "volume shop/db-1";
  private static final VolumeIdentity IDENTITY =
      new VolumeIdentity(PluginId.of("hostpath.csi"), VolumeId.of("vol-7f3"));

  private static Explained known(PathStatus staging, VolumeStatus.Use... uses) {
    return new Explained(
        IDENTITY,
        Optional.of(
            new VolumeStatus(
                IDENTITY.plugin(),
                IDENTITY.handle(),
                staging,
                List.of(uses),
                List.of(),
                Map.of(),
                AccessMode.SINGLE_NODE_WRITER,
                Optional.empty(),
                false,
                Optional.empty(),
                VolumeHealth.well())),
        Optional.empty(),
        Optional.empty());
  }

  private static Explained doing(Explained known, Work activity) {
    return new Explained(known.identity(), known.status(), Optional.of(activity), known.trouble());
  }

  private static VolumeStatus.Use use(VolumeUse key, PathStatus status, boolean readOnly) {
    return new VolumeStatus.Use(key, status, readOnly, Path.of("/v/k7/" + key.workload()));
  }

  private static Work activity(VolumeEvent.Operation operation, List<VolumeUse> waiting) {
    return new Work(
        operation,
        Optional.empty(),
        "a step",
        Duration.ZERO,
        1,
        3,
        Optional.empty(),
        Optional.empty(),
        waiting);
  }

  @Test
  void aVolumeThatIsBeingMountedIsExplained() {
    Work activity =
        new Work(
            VolumeEvent.Operation.MOUNT,
            Optional.of(WEB_2),
            "waiting for the plugin to stage it",
            Duration.ofSeconds(12),
            2,
            3,
            Optional.of("ABORTED: busy."),
            Optional.of(Duration.ofMillis(400)),
            List.of(WEB_1));
    assertThat(
            new Explanation(
                    SUBJECT,
                    List.of(
                        doing(
                            known(
                                PathStatus.IN_DOUBT,
                                use(WEB_1, PathStatus.PRESENT, true),
                                use(WEB_2, PathStatus.IN_DOUBT, false)),
                            activity)))
                .toString())
        .isEqualTo(
            String.join(
                "\n  ",
                "volume shop/db-1",
                "volume 'vol-7f3' of plugin 'hostpath.csi': filesystem, perhaps staged, used by 2"
                    + " workloads",
                "workload 'web-1' (shop/db-1): published, read-only, at /v/k7/web-1",
                "workload 'web-2' (shop/db-1): perhaps published, at /v/k7/web-2",
                "now: mounting for workload 'web-2' (shop/db-1): waiting for the plugin to stage it"
                    + " for 12 s, attempt 2 of 3, next try in 400 ms",
                "last answer: ABORTED: busy",
                "waiting for it: workload 'web-1' (shop/db-1)"));
  }

  @Test
  void usesThatAreDeadOverOrAbandonedAreListed() {
    VolumeUse batch = VolumeUse.of(KEY, WorkloadId.of("batch"));
    VolumeUse cron = VolumeUse.of(KEY, WorkloadId.of("cron"));

    assertThat(
            new VolumeStatus(
                    IDENTITY.plugin(),
                    IDENTITY.handle(),
                    PathStatus.DEAD,
                    List.of(
                        use(WEB_1, PathStatus.DEAD, false), use(WEB_2, PathStatus.PRESENT, true)),
                    List.of(batch),
                    Map.of(cron, "node\u001b[2J lost", batch, "node lost"),
                    AccessMode.SINGLE_NODE_WRITER,
                    Optional.empty(),
                    true,
                    Optional.empty(),
                    VolumeHealth.well())
                .lines(1))
        .containsExactly(
            "volume 'vol-7f3' of plugin 'hostpath.csi': raw block device, staged, and dead: the"
                + " server of the mount has ended, used by 2 workloads",
            "workload 'web-1' (shop/db-1): published, and dead: the server of the mount has ended,"
                + " and every use of it fails, at /v/k7/web-1",
            "and 1 more",
            "no workload has it any more; the last was workload 'batch' (shop/db-1)",
            "workload 'batch' (shop/db-1): abandoned by an operator, who said: node lost");
  }

  @Test
  void aVolumeInPeaceIsSaidToBeInPeace() {
    assertThat(
            new Explanation(
                    SUBJECT,
                    List.of(known(PathStatus.PRESENT, use(WEB_1, PathStatus.PRESENT, false))))
                .lines())
        .containsExactly(
            "volume 'vol-7f3' of plugin 'hostpath.csi': filesystem, staged, used by 1 workload",
            "workload 'web-1' (shop/db-1): published, at /v/k7/web-1",
            "nothing is being done, and nothing stands in the way");
  }

  @Test
  void troubleIsSaidWithWhatToDo() {
    Explained going = known(PathStatus.GOING);
    assertThat(
            new Explanation(
                    SUBJECT,
                    List.of(
                        new Explained(
                            IDENTITY,
                            going.status(),
                            Optional.empty(),
                            Optional.of(new Trouble(STUCK, Optional.of(Duration.ofSeconds(200))))),
                        new Explained(
                            IDENTITY,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of(new Trouble(STUCK, Optional.empty())))))
                .lines())
        .containsExactly(
            "volume 'vol-7f3' of plugin 'hostpath.csi': filesystem, being unstaged, used by no"
                + " workloads",
            "trouble: " + STUCK.line() + " (for 3 min 20 s)",
            "volume 'vol-7f3' of plugin 'hostpath.csi': nothing is on record yet",
            "trouble: " + STUCK.line());
  }

  @Test
  void manyThatWaitOrUseItAreCounted() {
    List<VolumeUse> many =
        IntStream.range(0, 64).mapToObj(i -> VolumeUse.of(KEY, WorkloadId.of("w" + i))).toList();
    List<String> lines =
        new Explanation(
                SUBJECT,
                List.of(
                    doing(
                        known(
                            PathStatus.NONE,
                            many.stream()
                                .map(key -> use(key, PathStatus.GOING, false))
                                .toArray(VolumeStatus.Use[]::new)),
                        activity(VolumeEvent.Operation.CLEAN_UP, many))))
            .lines();
    assertThat(lines)
        .hasSize(1 + 20 + 1 + 1 + 1)
        .contains("workload 'w19' (shop/db-1): being unpublished, at /v/k7/w19", "and 44 more")
        .contains("now: cleaning up: a step for 0 ms")
        .last()
        .asString()
        .startsWith("waiting for it: workload 'w0' (shop/db-1), ")
        .endsWith("workload 'w4' (shop/db-1) and 59 more");
  }

  @Test
  void whatIsNotExplainedIsSaidToBeUnknown() {
    assertThat(new Explanation("workload w\u202e", List.of()).toString())
        .isEqualTo("workload w\\u202e\n  this node has no record of it, and does nothing for it");
  }

  @ParameterizedTest
  @EnumSource(VolumeEvent.Operation.class)
  void everyOperationHasAPhrase(VolumeEvent.Operation operation) {
    assertThat(
            new Explanation(
                    SUBJECT, List.of(doing(known(PathStatus.NONE), activity(operation, List.of()))))
                .lines()
                .get(1))
        .matches("now: [a-z ]+: a step for 0 ms");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0 ms",
    "PT0.999S, 999 ms",
    "PT1S, 1 s",
    "PT59.9S, 59 s",
    "PT1M, 1 min 0 s",
    "PT59M59S, 59 min 59 s",
    "PT1H, 1 h 0 min",
    "PT49H5M, 49 h 5 min"
  })
  void timesAreForPeople(Duration time, String text) {
    assertThat(Explanation.span(time)).isEqualTo(text);
  }
}
