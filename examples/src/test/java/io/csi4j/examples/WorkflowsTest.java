package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The workflows of the forge: foreign code by its digest, and no right that a job does not need.
 */
class WorkflowsTest {

  private static final Path WORKFLOWS = Page.ROOT.resolve(".github/workflows");

  private static final Pattern USES = Pattern.compile("^ *(?:- )?uses: *(.*)$");
  private static final Pattern PINNED =
      Pattern.compile("([\\w-]+/[\\w.-]+)(?:/[\\w./-]+)?@([0-9a-f]{40}) # (v\\d+\\.\\d+\\.\\d+)");
  private static final Pattern WRITE = Pattern.compile("^ +([\\w-]+): write$");

  /** An expression that a stranger may have written, outside of a variable or a condition. */
  private static final Pattern INJECTED =
      Pattern.compile("^(?! +(?:[A-Z_]+|- if|if): ).*\\$\\{\\{ *(?:github|inputs|steps|env)\\b.*");

  @Test
  void noWorkflowRunsForeignCodeThatCouldChangeOrHasMoreRightsThanItNeeds() throws IOException {
    Map<String, String> workflows = workflows();
    assertThat(workflows)
        .containsOnlyKeys("build.yml", "campaign.yml", "release.yml", "scan.yml", "scorecard.yml");
    assertThat(workflows.values()).allMatch(text -> text.contains("uses: "));
    assertThat(findings(workflows)).isEmpty();
  }

  @Test
  void onlyTheJobsThatReportOrSignMayWrite() throws IOException {
    List<String> writes = new ArrayList<>();
    workflows()
        .forEach(
            (name, text) ->
                text.lines()
                    .map(WRITE::matcher)
                    .filter(Matcher::matches)
                    .forEach(line -> writes.add(name + ": " + line.group(1))));
    assertThat(writes)
        .containsExactlyInAnyOrder(
            "release.yml: id-token", "release.yml: attestations", "scan.yml: security-events");
  }

  @Test
  void anActionByItsTagAndAnActionWithTwoDigestsAreFound() {
    String one = "0123456789012345678901234567890123456789";
    String other = "abcdef6789012345678901234567890123456789";
    assertThat(
            findings(
                Map.of(
                    "some.yml",
                    """
                    permissions:
                      contents: read
                    jobs:
                      - uses: actions/by-tag@v4
                      - uses: actions/by-branch@main
                      - uses: actions/short@0123456 # v1.0.0
                      - uses: actions/nameless@%1$s
                      - uses: docker://somewhere/image:1
                      - uses: actions/good@%1$s # v1.0.0
                        uses: actions/good/part@%2$s # v1.0.1
                    """
                        .formatted(one, other))))
        .containsExactly(
            "some.yml: not pinned: actions/by-tag@v4",
            "some.yml: not pinned: actions/by-branch@main",
            "some.yml: not pinned: actions/short@0123456 # v1.0.0",
            "some.yml: not pinned: actions/nameless@" + one,
            "some.yml: not pinned: docker://somewhere/image:1",
            "some.yml: another digest of actions/good: " + other);
  }

  @Test
  void tooManyRightsAndTextOfStrangersInACommandAreFound() {
    assertThat(
            findings(
                Map.of(
                    "some.yml",
                    """
                    on: pull_request_target
                    permissions: write-all
                    jobs:
                      - if: github.ref_type == 'tag'
                      - run: echo ${{ github.event.pull_request.title }}
                          TITLE: ${{ github.event.pull_request.title }}
                      - uses: actions/checkout@0123456789012345678901234567890123456789 # v1.0.0
                      - uses: actions/other@0123456789012345678901234567890123456789 # v1.0.0
                    """)))
        .containsExactly(
            "some.yml: the rights of all jobs are not those to read alone",
            "some.yml: it runs for a stranger with the rights of the project: pull_request_target",
            "some.yml: in a command: ${{ github.event.pull_request.title }}",
            "some.yml: a checkout keeps the token");
  }

  private static Map<String, String> workflows() throws IOException {
    Map<String, String> workflows = new TreeMap<>();
    try (Stream<Path> files = Files.list(WORKFLOWS)) {
      for (Path file : files.toList()) {
        workflows.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return workflows;
  }

  private static List<String> findings(Map<String, String> workflows) {
    List<String> findings = new ArrayList<>();
    Map<String, String> digests = new HashMap<>();
    workflows.forEach(
        (name, text) -> {
          if (!text.contains("\npermissions:\n  contents: read\njobs:\n")
              && !text.startsWith("permissions:\n  contents: read\njobs:\n")) {
            findings.add(name + ": the rights of all jobs are not those to read alone");
          }
          List<String> lines = text.lines().toList();
          for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            pinned(name, line, digests, findings);
            if (line.matches(".*\\b(?:pull_request_target|workflow_run)\\b.*")) {
              findings.add(
                  name
                      + ": it runs for a stranger with the rights of the project: "
                      + line.replaceFirst("^.*?(?=pull_request_target|workflow_run)", ""));
            }
            if (INJECTED.matcher(line).matches()) {
              findings.add(name + ": in a command: " + line.substring(line.indexOf("${{")));
            }
            if (line.contains("uses: actions/checkout@")
                && !String.join("\n", lines.subList(i + 1, Math.min(i + 3, lines.size())))
                    .matches(" +with:\n +persist-credentials: false")) {
              findings.add(name + ": a checkout keeps the token");
            }
          }
        });
    return findings;
  }

  private static void pinned(
      String name, String line, Map<String, String> digests, List<String> findings) {
    Matcher uses = USES.matcher(line);
    if (!uses.matches()) {
      return;
    }
    Matcher pinned = PINNED.matcher(uses.group(1));
    if (!pinned.matches()) {
      findings.add(name + ": not pinned: " + uses.group(1));
    } else {
      String digest = digests.putIfAbsent(pinned.group(1), pinned.group(2));
      if (digest != null && !digest.equals(pinned.group(2))) {
        findings.add(name + ": another digest of " + pinned.group(1) + ": " + pinned.group(2));
      }
    }
  }
}
