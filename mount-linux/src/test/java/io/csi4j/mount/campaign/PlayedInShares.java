package io.csi4j.mount.campaign;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A long campaign, of which a run may play a share. With {@code -Dcampaign.share=2/4} each test of
 * the class or method belongs to one of four shares, and those of the second are played: every
 * fourth set of parameters of a parameterized test, and a test without parameters in one share as a
 * whole. All others are skipped, with the share as the reason. Without the property all are played.
 *
 * <p>No test may assert what only several sets of parameters reach together.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CampaignShare.Condition.class)
public @interface PlayedInShares {}
