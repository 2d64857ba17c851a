package io.csi4j.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.PackageMatcher;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One row of the table of csi4j: what modules must not import, except where they may.
 *
 * @param modules the directories of the modules
 * @param forbidden the packages they must not import, as ArchUnit writes them
 * @param allowed the only parts of the modules that may: packages as ArchUnit writes them, or the
 *     beginning of the names of classes, followed by a star; nothing if none may
 * @param reason why, for whoever broke it
 */
record Boundary(List<String> modules, List<String> forbidden, List<String> allowed, String reason) {

  /**
   * A library, or the part of one, that few places know.
   *
   * @param packages its packages
   * @param allowed the only parts of modules that may import it, by module
   * @param reason why
   */
  private record Library(List<String> packages, Map<String, List<String>> allowed, String reason) {}

  private static final String HIDDEN =
      "whoever embeds csi4j must not be tied to the libraries inside it";
  private static final String LEAF = "it is a leaf: it can be used, and understood, alone";
  private static final String INSIDE =
      "what is inside a module may change with every release of it";

  private static final Map<String, List<String>> WIRE =
      Map.of(
          "csi-client/client", List.of("io.csi4j.client.internal.."),
          "testkit/fake", List.of("io.csi4j.testkit.internal.."),
          "testkit/proxy", List.of("io.csi4j.testkit.internal.."),
          "testkit/conformance", List.of("io.csi4j.conformance.internal.."));
  private static final Map<String, List<String>> MESSAGES =
      with(WIRE, Map.of("testkit/hostpath", List.of("io.csi4j.testkit.internal.hostpath")));
  private static final Map<String, List<String>> RECORDS =
      Map.of(
          "volume-manager/model",
              List.of("io.csi4j.volume.internal.fields..", "io.csi4j.volume.internal.wire.."),
          "volume-manager/plugins",
              List.of(
                  "io.csi4j.volume.internal.plugin.PluginCodec*",
                  "io.csi4j.volume.internal.plugin.proto"),
          "volume-manager/claims",
              List.of(
                  "io.csi4j.volume.internal.claims.ClaimCodec*",
                  "io.csi4j.volume.internal.claims.proto",
                  "io.csi4j.volume.internal.store.StoreCodec*",
                  "io.csi4j.volume.internal.store.proto"),
          "volume-manager/controller",
              List.of(
                  "io.csi4j.volume.internal.catalog.CatalogCodec*",
                  "io.csi4j.volume.internal.catalog.ClusterCodec*",
                  "io.csi4j.volume.internal.catalog.NodeCodec*",
                  "io.csi4j.volume.internal.catalog.SessionCodec*",
                  "io.csi4j.volume.internal.catalog.proto"));
  private static final Map<String, List<String>> ETCD =
      Map.of("volume-manager/claims-etcd", List.of("io.csi4j.volume.claim.etcd.Jetcd*"));

  private static final Map<String, List<String>> LINES =
      Map.of("volume-manager/cluster-grpc", List.of("io.csi4j.volume.cluster.grpc.Line*"));

  private static final Map<String, List<String>> REPEATS =
      Map.of(
          "csi-client/client", List.of("io.csi4j.client.internal.Repeats*"),
          "volume-manager/claims", List.of("io.csi4j.volume.internal.store.RecordBook*"),
          "volume-manager/claims-jdbc", List.of("io.csi4j.volume.claim.jdbc.Database*"));

  /** Held against every module. */
  private static final List<Library> LIBRARIES =
      List.of(
          new Library(List.of("com.google.protobuf.."), with(MESSAGES, RECORDS), HIDDEN),
          new Library(List.of("com.google.common.."), WIRE, HIDDEN),
          new Library(List.of("io.grpc..", "io.netty.."), with(with(WIRE, ETCD), LINES), HIDDEN),
          new Library(
              List.of("dev.failsafe.."),
              REPEATS,
              "one class of a module decides what is tried again, where tries have an end"),
          new Library(
              List.of("io.csi4j.client.internal.proto.."),
              MESSAGES,
              "the generated classes are the wire, not the API"),
          new Library(
              List.of(
                  "io.csi4j.volume.internal.fields.proto..",
                  "io.csi4j.volume.internal.plugin.proto..",
                  "io.csi4j.volume.internal.claims.proto..",
                  "io.csi4j.volume.internal.store.proto..",
                  "io.csi4j.volume.internal.catalog.proto.."),
              RECORDS,
              "a message shows secrets in its toString(), so it stays in the class that maps it"),
          new Library(
              List.of("com.sun.jna.."),
              Map.of("mount-linux", List.of("io.csi4j.mount.internal")),
              "native calls belong to one package"),
          new Library(List.of("io.etcd..", "io.vertx.."), ETCD, "etcd is one store of several"),
          new Library(
              List.of("org.junit.."),
              Map.of(
                  "testkit/fake", List.of("io.csi4j.testkit.junit"),
                  "testkit/conformance", List.of("io.csi4j.conformance")),
              "what is shipped runs without JUnit"),
          new Library(
              List.of("org.assertj..", "com.tngtech.archunit.."),
              Map.of(),
              "what is shipped needs no test library"),
          new Library(
              List.of("org.slf4j..", "java.util.logging.."),
              Map.of(),
              "csi4j logs through System.Logger alone"),
          new Library(
              List.of("io.micrometer.."),
              Map.of("telemetry/micrometer", List.of("io.csi4j.micrometer")),
              "metrics are for hosts that want them"),
          new Library(
              List.of("io.opentelemetry.."),
              Map.of("telemetry/opentelemetry", List.of("io.csi4j.opentelemetry")),
              "traces are for hosts that want them"),
          new Library(
              List.of("picocli.."),
              Map.of("testkit/cli", List.of("io.csi4j.testkit.cli")),
              "only the program has a command line"));

  /** All rows. */
  static final List<Boundary> TABLE = table();

  private static List<Boundary> table() {
    List<Boundary> rows = new ArrayList<>();
    for (Library library : LIBRARIES) {
      List<String> others = new ArrayList<>(PublishedModules.modules());
      library
          .allowed()
          .forEach(
              (module, parts) -> {
                others.remove(module);
                rows.add(
                    new Boundary(List.of(module), library.packages(), parts, library.reason()));
              });
      rows.add(new Boundary(others, library.packages(), List.of(), library.reason()));
    }

    List<String> leaves = List.of("csi-client/model", "csi-client/client");
    rows.add(never(leaves, LEAF, "io.csi4j.mount.."));
    rows.add(never(leaves, LEAF, "io.csi4j.volume.."));
    rows.add(never(leaves, LEAF, "io.csi4j.testkit..", "io.csi4j.conformance.."));
    rows.add(
        never(
            "csi-client/model",
            "the words of CSI lie below the wire",
            "io.csi4j.client",
            "io.csi4j.client.identity..",
            "io.csi4j.client.controller..",
            "io.csi4j.client.node..",
            "io.csi4j.client.group..",
            "io.csi4j.client.metadata..",
            "io.csi4j.client.registration.."));
    rows.add(
        never(
            "mount-linux",
            LEAF + "; the kernel's mounts know nothing of CSI",
            "io.csi4j.client.."));
    rows.add(never("mount-linux", LEAF, "io.csi4j.volume.."));
    rows.add(never("mount-linux", LEAF, "io.csi4j.testkit..", "io.csi4j.conformance.."));

    rows.add(never("volume-manager/state", LEAF, "io.csi4j.client..", "io.csi4j.mount.."));
    String up = "arrows between the modules point down";
    rows.add(never("volume-manager/state", up, others("model", "state")));
    rows.add(never("volume-manager/model", up, others("model")));
    rows.add(never("volume-manager/plugins", up, others("model", "state", "plugin")));
    String nodeAlone = "a host of mounts has no claims and no controller on its path";
    String[] control = {
      "io.csi4j.volume.claim..",
      "io.csi4j.volume.internal.claims..",
      "io.csi4j.volume.store..",
      "io.csi4j.volume.internal.store..",
      "io.csi4j.volume.catalog..",
      "io.csi4j.volume.controller..",
      "io.csi4j.volume.upkeep.."
    };
    rows.add(never("volume-manager/node", nodeAlone, control));
    rows.add(never("volume-manager/node", up, "io.csi4j.volume.workload.."));
    rows.add(never("volume-manager/workload", nodeAlone, control));
    rows.add(never("volume-manager/agent", nodeAlone, control));
    rows.add(
        never(
            "volume-manager/agent",
            nodeAlone,
            "io.csi4j.volume.backup..",
            "io.csi4j.volume.placement.."));
    rows.add(
        never(
            "volume-manager/cluster",
            "a control plane mounts nothing",
            "io.csi4j.volume.manager.."));
    rows.add(
        never(
            "volume-manager/cluster",
            "etcd is one store, a database another",
            "io.csi4j.volume.claim.etcd..",
            "io.csi4j.volume.claim.jdbc.."));
    rows.add(never("volume-manager/claims", up, others("model", "state", "claim", "store")));
    rows.add(
        never(
            "volume-manager/claims",
            "etcd and a database are stores beside it",
            "io.csi4j.volume.claim.etcd..",
            "io.csi4j.volume.claim.jdbc.."));
    rows.add(
        never(
            "volume-manager/controller",
            "a control plane mounts nothing",
            "io.csi4j.volume.node..",
            "io.csi4j.volume.manager..",
            "io.csi4j.volume.workload.."));
    rows.add(
        never(
            "volume-manager/controller",
            "etcd is one store, a database another",
            "io.csi4j.volume.claim.etcd..",
            "io.csi4j.volume.claim.jdbc.."));
    rows.add(never("volume-manager/claims-etcd", up, others("model", "state", "claim", "store")));
    rows.add(never("volume-manager/claims-jdbc", up, others("model", "state", "claim", "store")));
    List<String> modules =
        PublishedModules.modules().stream()
            .filter(module -> module.startsWith("volume-manager/"))
            .toList();
    rows.add(
        never(
            modules.stream()
                .filter(
                    module ->
                        !List.of(
                                "volume-manager/agent",
                                "volume-manager/cluster",
                                "volume-manager/cluster-grpc")
                            .contains(module))
                .toList(),
            "agent and cluster put together what lies below them",
            "io.csi4j.volume.agent..",
            "io.csi4j.volume.cluster"));
    rows.add(
        never(
            "volume-manager/cluster-grpc",
            "a node that takes the line gets no control plane",
            "io.csi4j.volume.cluster",
            "io.csi4j.volume.controller.."));
    String model = "volume-manager/model";
    rows.add(
        never(
            modules.stream().filter(module -> !module.equals(model)).toList(),
            "pauses are drawn in one way, and nothing else of the client's insides is shared",
            "io.csi4j.client.internal",
            "io.csi4j.client.internal.transport..",
            "io.csi4j.client.internal.mapping..",
            "io.csi4j.client.internal.message..",
            "io.csi4j.client.internal.proto..",
            "io.csi4j.client.internal.registration..",
            "io.csi4j.client.internal.redaction..",
            "io.csi4j.client.internal.rules.."));
    String node = "volume-manager/node";
    String text = "io.csi4j.client.internal.text..";
    rows.add(
        never(
            modules.stream()
                .filter(module -> !module.equals(model) && !module.equals(node))
                .toList(),
            "foreign text goes through the model",
            text));
    rows.add(
        new Boundary(
            List.of(node),
            List.of(text),
            List.of("io.csi4j.volume.internal.lifecycle.CallMeaning*"),
            "one class reads a table, and foreign text goes through the model"));
    rows.add(
        never(
            model,
            "tables and pauses are the same for all, and nothing else of the client's insides is shared",
            "io.csi4j.client.internal",
            "io.csi4j.client.internal.transport..",
            "io.csi4j.client.internal.mapping..",
            "io.csi4j.client.internal.registration..",
            "io.csi4j.client.internal.redaction..",
            "io.csi4j.client.internal.rules.."));
    rows.add(never(modules, INSIDE, "io.csi4j.mount.internal.."));
    rows.add(
        never(
            modules,
            "only tests need plugins to test against",
            "io.csi4j.testkit..",
            "io.csi4j.conformance.."));

    rows.add(
        never(
            "testkit/mounts",
            "mounts in memory are taken alone, too, as the kernel's are",
            "io.csi4j.client..",
            "io.csi4j.volume..",
            "io.csi4j.conformance..",
            "io.csi4j.testkit",
            "io.csi4j.testkit.internal.."));
    String judge = "the volume manager is one of those that the testkit judges";
    List<String> plugins = List.of("testkit/fake", "testkit/hostpath", "testkit/proxy");
    rows.add(never(plugins, judge, "io.csi4j.volume.."));
    rows.add(never(plugins, "the suites stand on the plugins", "io.csi4j.conformance.."));
    rows.add(
        never(
            plugins, "who tests with the testkit needs no command line", "io.csi4j.testkit.cli.."));
    rows.add(never("testkit/conformance", judge, others("model", "state", "claim", "store")));
    rows.add(never("testkit/conformance", INSIDE, "io.csi4j.volume.internal.."));
    rows.add(
        never("testkit/conformance", "the suites need no command line", "io.csi4j.testkit.cli.."));
    List<String> judges =
        List.of("testkit/fake", "testkit/hostpath", "testkit/proxy", "testkit/conformance");
    rows.add(never("testkit/mounts", INSIDE, "io.csi4j.mount.internal.."));
    rows.add(never(judges, INSIDE, "io.csi4j.mount.internal.."));
    rows.add(
        never(
            judges,
            "it judges the client as it does any caller, and shares only messages and redaction",
            "io.csi4j.client.internal",
            "io.csi4j.client.internal.transport..",
            "io.csi4j.client.internal.mapping..",
            "io.csi4j.client.internal.registration..",
            "io.csi4j.client.internal.rules.."));
    rows.add(
        never(
            "testkit/cli",
            "the program shows that what the modules export is enough",
            "io.csi4j.testkit.internal..",
            "io.csi4j.conformance.internal..",
            "io.csi4j.client.internal..",
            "io.csi4j.mount.internal..",
            "io.csi4j.volume.internal.."));
    rows.add(
        never(
            "testkit/cli",
            "a person at a shell reads claims and state, and sets stores up; only hosts change them",
            "io.csi4j.volume.claim.coordination..",
            "io.csi4j.volume.upkeep..",
            "io.csi4j.volume.workload.."));
    rows.add(
        never(
            List.of("telemetry/micrometer", "telemetry/opentelemetry"),
            "it hears what any listener of a host hears, and sees what any host sees",
            "io.csi4j.client.internal..",
            "io.csi4j.volume.internal..",
            "io.csi4j.mount..",
            "io.csi4j.testkit..",
            "io.csi4j.conformance.."));
    List<String> others = new ArrayList<>(PublishedModules.modules());
    others.removeIf(module -> module.startsWith("telemetry/"));
    rows.add(
        never(
            others,
            "metrics and traces lie above all that they show",
            "io.csi4j.micrometer..",
            "io.csi4j.opentelemetry.."));
    return List.copyOf(rows);
  }

  /** The modules of the volume manager but these, by the packages that each begins with. */
  private static String[] others(String... modules) {
    List<String> others =
        new ArrayList<>(
            List.of(
                "model",
                "state",
                "plugin",
                "node",
                "manager",
                "workload",
                "claim",
                "catalog",
                "store",
                "controller",
                "upkeep"));
    others.removeAll(List.of(modules));
    return others.stream().map(name -> "io.csi4j.volume." + name + "..").toArray(String[]::new);
  }

  private static Map<String, List<String>> with(
      Map<String, List<String>> some, Map<String, List<String>> more) {
    Map<String, List<String>> all = new LinkedHashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static Boundary never(String module, String reason, String... forbidden) {
    return never(List.of(module), reason, forbidden);
  }

  private static Boundary never(List<String> modules, String reason, String... forbidden) {
    return new Boundary(modules, List.of(forbidden), List.of(), reason);
  }

  /** A class in a part of a module as a row names it. */
  static String classIn(String part, String name) {
    return part.endsWith("*") ? part.replace("*", name) : part.replace("..", "") + "." + name;
  }

  /** The row as a rule. */
  ArchRule rule() {
    DescribedPredicate<JavaClass> inRoom =
        DescribedPredicate.describe(
            "in " + allowed, type -> allowed.stream().anyMatch(part -> isIn(part, type)));
    return noClasses()
        .that(DescribedPredicate.not(inRoom))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden.toArray(String[]::new))
        .because(reason)
        .allowEmptyShould(true);
  }

  private static boolean isIn(String part, JavaClass type) {
    return part.endsWith("*")
        ? type.getName().startsWith(part.substring(0, part.length() - 1))
        : PackageMatcher.of(part).matches(type.getPackageName());
  }

  @Override
  public String toString() {
    return (modules.size() > 4 ? modules.size() + " modules" : String.join(", ", modules))
        + " import "
        + String.join(", ", forbidden)
        + (allowed.isEmpty() ? " never" : " only in " + String.join(", ", allowed))
        + ": "
        + reason;
  }
}
