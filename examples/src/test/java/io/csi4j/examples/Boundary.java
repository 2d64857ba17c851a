package io.csi4j.examples;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;

/**
 * One row of the table of the house: what a module must not import, except where it may.
 *
 * @param module the directory of the module
 * @param home its root package
 * @param forbidden the packages it must not import, as ArchUnit writes them
 * @param room the only packages of the module that may; nothing if none may
 * @param reason why, for whoever broke it
 */
record Boundary(
    String module, String home, List<String> forbidden, List<String> room, String reason) {

  private static final List<String> RPC =
      List.of("io.grpc..", "com.google.protobuf..", "com.google.common..", "io.netty..");
  private static final List<String> FAILSAFE = List.of("dev.failsafe..");
  private static final List<String> NATIVE = List.of("com.sun.jna..");
  private static final List<String> TEST =
      List.of("org.junit..", "org.assertj..", "com.tngtech.archunit..");
  private static final List<String> LOG = List.of("org.slf4j..", "java.util.logging..");
  private static final List<String> CLIENT = List.of("io.csi4j.client..");
  private static final List<String> CLIENT_INTERNAL = List.of("io.csi4j.client.internal..");
  private static final List<String> MOUNT = List.of("io.csi4j.mount..");
  private static final List<String> MOUNT_INTERNAL = List.of("io.csi4j.mount.internal..");
  private static final List<String> TESTKIT = List.of("io.csi4j.testkit..");
  private static final List<String> VOLUME = List.of("io.csi4j.volume..");

  private static final String LEAF = "it is a leaf: it can be used, and understood, alone";
  private static final String HIDDEN =
      "whoever embeds csi4j must not be tied to the libraries inside it";
  private static final String THEIR_INSIDE =
      "what is inside a module may change with every release of it";
  private static final String ONE_LOG = "csi4j logs through System.Logger alone";
  private static final String SHIPPED = "what is shipped needs no test library";

  /** All rows. */
  static final List<Boundary> TABLE =
      List.of(
          client(MOUNT, LEAF),
          client(TESTKIT, LEAF),
          client(VOLUME, LEAF),
          client(RPC, HIDDEN, "io.csi4j.client.internal.."),
          client(FAILSAFE, HIDDEN, "io.csi4j.client.internal.."),
          client(
              List.of("io.csi4j.client.internal.proto.."),
              "the generated classes are the wire, not the API",
              "io.csi4j.client.internal.."),
          client(NATIVE, "native calls belong to mount-linux"),
          client(TEST, SHIPPED),
          client(LOG, ONE_LOG),
          //
          mount(CLIENT, LEAF + "; the kernel's mounts know nothing of CSI"),
          mount(TESTKIT, LEAF),
          mount(VOLUME, LEAF),
          mount(RPC, "mounts need no RPC"),
          mount(FAILSAFE, "system calls are not retried by a library for remote calls"),
          mount(NATIVE, HIDDEN, "io.csi4j.mount.internal"),
          mount(TEST, SHIPPED),
          mount(LOG, ONE_LOG),
          //
          testkit(VOLUME, "the volume manager is one of those that the testkit judges"),
          testkit(
              List.of(
                  "io.csi4j.client.internal.transport..",
                  "io.csi4j.client.internal.mapping..",
                  "io.csi4j.client.internal.rules..",
                  "io.csi4j.client.internal.values.."),
              "it judges the client as it does any caller, and shares only messages and escaping"),
          testkit(
              List.of("io.csi4j.client.internal.proto.."),
              "the generated classes are the wire, not the API",
              "io.csi4j.testkit.internal.."),
          testkit(MOUNT_INTERNAL, THEIR_INSIDE),
          testkit(RPC, HIDDEN, "io.csi4j.testkit.internal.."),
          testkit(FAILSAFE, HIDDEN),
          testkit(NATIVE, "native calls belong to mount-linux"),
          testkit(
              List.of("org.junit.."),
              "the testkit also runs without JUnit",
              "io.csi4j.testkit.junit",
              "io.csi4j.testkit.conformance"),
          testkit(LOG, ONE_LOG),
          testkit(
              List.of("io.csi4j.testkit.cli..", "picocli.."),
              "who tests with the testkit needs no command line"),
          //
          cli(VOLUME, "the volume manager is one of those that the testkit judges"),
          cli(MOUNT, "what mounts is the testkit's plugin"),
          cli(
              List.of("io.csi4j.testkit.internal.."),
              "the program shows that what the testkit exports is enough"),
          cli(
              List.of(
                  "io.csi4j.client.internal.proto..",
                  "io.csi4j.client.internal.transport..",
                  "io.csi4j.client.internal.mapping..",
                  "io.csi4j.client.internal.rules..",
                  "io.csi4j.client.internal.values.."),
              THEIR_INSIDE + "; only escaping is shared"),
          cli(RPC, HIDDEN),
          cli(FAILSAFE, HIDDEN),
          cli(NATIVE, "native calls belong to mount-linux"),
          cli(TEST, "the program runs without a test library"),
          cli(LOG, ONE_LOG),
          //
          volume(TESTKIT, "only the tests of the volume manager need plugins to test against"),
          volume(CLIENT_INTERNAL, THEIR_INSIDE),
          volume(MOUNT_INTERNAL, THEIR_INSIDE),
          volume(
              List.of("io.grpc..", "com.google.common..", "io.netty.."),
              "the wire to plugins is the business of csi-client",
              "io.csi4j.volume.claim.etcd"),
          volume(
              List.of("io.etcd..", "io.vertx.."),
              "etcd is one store of several, whose library is there only if the host adds it",
              "io.csi4j.volume.claim.etcd"),
          volume(
              List.of("com.google.protobuf.."),
              "only the journal has messages of its own",
              "io.csi4j.volume.internal.journal"),
          volume(FAILSAFE, "csi-client retries; retrying twice multiplies the waiting"),
          volume(NATIVE, "native calls belong to mount-linux"),
          volume(TEST, SHIPPED),
          volume(LOG, ONE_LOG));

  private static Boundary client(List<String> forbidden, String reason, String... room) {
    return new Boundary("csi-client", "io.csi4j.client", forbidden, List.of(room), reason);
  }

  private static Boundary mount(List<String> forbidden, String reason, String... room) {
    return new Boundary("mount-linux", "io.csi4j.mount", forbidden, List.of(room), reason);
  }

  private static Boundary testkit(List<String> forbidden, String reason, String... room) {
    return new Boundary("testkit", "io.csi4j.testkit", forbidden, List.of(room), reason);
  }

  private static Boundary cli(List<String> forbidden, String reason, String... room) {
    return new Boundary("testkit-cli", "io.csi4j.testkit.cli", forbidden, List.of(room), reason);
  }

  private static Boundary volume(List<String> forbidden, String reason, String... room) {
    return new Boundary("volume-manager", "io.csi4j.volume", forbidden, List.of(room), reason);
  }

  /** The row as a rule. */
  ArchRule rule() {
    DescribedPredicate<JavaClass> inRoom = resideInAnyPackage(room.toArray(String[]::new));
    return noClasses()
        .that(DescribedPredicate.not(inRoom))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden.toArray(String[]::new))
        .because(reason)
        .allowEmptyShould(true);
  }

  @Override
  public String toString() {
    return module
        + " imports "
        + String.join(", ", forbidden)
        + (room.isEmpty() ? " never" : " only in " + String.join(", ", room))
        + ": "
        + reason;
  }
}
