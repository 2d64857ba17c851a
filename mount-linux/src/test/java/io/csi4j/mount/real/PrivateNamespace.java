package io.csi4j.mount.real;

import io.csi4j.mount.RunningKernel;
import io.csi4j.mount.internal.kernel.Feature;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Lets the tests run where they have a mount namespace of their own, and hands each a {@link
 * Scratch} directory, which is unmounted and checked for leaks after it.
 */
final class PrivateNamespace implements ExecutionCondition, ParameterResolver, AfterEachCallback {

  private static final ExtensionContext.Namespace STORE =
      ExtensionContext.Namespace.create(PrivateNamespace.class);

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    String mode = System.getenv().getOrDefault("MOUNT_TEST_MODE", "none");
    if (mode.equals("none")) {
      String problem =
          System.getenv()
              .getOrDefault(
                  "MOUNT_TEST_PROBLEM",
                  "this JVM was not started by .mvn/mounting/bin/java; run mvn verify");
      String text = "No mounts of our own: " + problem;
      if (isRequired()) {
        throw new IllegalStateException(text + " (and MOUNT_TEST_REQUIRED is set)");
      }
      return ConditionEvaluationResult.disabled(text);
    }
    Optional<String> root =
        context
            .getElement()
            .flatMap(element -> AnnotationSupport.findAnnotation(element, NeedsRoot.class))
            .map(NeedsRoot::value);
    if (root.isPresent() && !mode.equals("root")) {
      return ConditionEvaluationResult.disabled("only root can: " + root.get());
    }
    if (AnnotationSupport.isAnnotated(context.getElement(), NeedsUserNamespace.class)
        && !mode.equals("user")) {
      return ConditionEvaluationResult.disabled("holds inside a user namespace only");
    }
    return obstacle(context)
        .map(ConditionEvaluationResult::disabled)
        .orElseGet(() -> ConditionEvaluationResult.enabled("mounts as " + mode));
  }

  /** What the running kernel lacks of what the test needs. */
  private static Optional<String> obstacle(ExtensionContext context) {
    return context
        .getElement()
        .flatMap(element -> AnnotationSupport.findAnnotation(element, NeedsKernel.class))
        .map(NeedsKernel::value)
        .flatMap(PrivateNamespace::obstacle);
  }

  /** Says that the running kernel lacks one of these features, and why; nothing if it has all. */
  static Optional<String> obstacle(Feature... needed) {
    KernelFeatures features = RunningKernel.kernel().features();
    return Stream.of(needed)
        .filter(feature -> !features.has(feature))
        .findFirst()
        .map(feature -> "no " + feature + " here: " + features.obstacle(feature).orElseThrow());
  }

  /** An ordinary user is never asked to be root; everything else that is required must be done. */
  private static boolean isRequired() {
    boolean required = "1".equals(System.getenv("MOUNT_TEST_REQUIRED"));
    boolean asRoot = "root".equals(System.getenv("MOUNT_TEST_AS"));
    boolean isRoot = "root".equals(System.getProperty("user.name"));
    return required && (isRoot || !asRoot);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType().equals(Scratch.class);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return scratch(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Scratch scratch = context.getStore(STORE).remove(Scratch.class, Scratch.class);
    if (scratch != null) {
      scratch.close();
    }
  }

  private static Scratch scratch(ExtensionContext context) {
    return context
        .getStore(STORE)
        .getOrComputeIfAbsent(Scratch.class, type -> Scratch.create(), Scratch.class);
  }
}
