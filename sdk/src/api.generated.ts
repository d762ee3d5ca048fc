// Written by scripts/generate-sdk.ts from the OpenAPI document; do not edit.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Actor: {
            kind: components["schemas"]["ActorKind"];
            id?: string;
        };
        /** @enum {unknown} */
        ActorKind: "secret" | "session" | "command_line" | "system";
        /** @enum {unknown} */
        AiLabel: "likely_human" | "likely_ai" | "unknown";
        /** @enum {unknown} */
        AiRisk: "low" | "medium" | "high";
        AnnouncedFilm: {
            challenge_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            announced_at: string;
        };
        Answer: {
            value: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            answered_at: string;
        };
        AnswersRequest: {
            answers: {
                [key: string]: string;
            };
        };
        ApiKey: {
            id: string;
            name: string;
            kind: components["schemas"]["ApiKeyKind"];
            /** @description absent on a secret key, which works in both modes */
            livemode?: boolean;
            /** @description limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key */
            scopes?: components["schemas"]["KeyScope"][];
            /** @description the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes` */
            template_id?: string;
            /** @description the first characters of the key, to recognise it by */
            prefix: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            last_used_at?: string;
        };
        /** @enum {unknown} */
        ApiKeyKind: "publishable" | "secret";
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        AspectScore: {
            name: string;
            score: number;
            reasoning: string;
        };
        /** @enum {unknown} */
        AttemptError: "timeout" | "status" | "redirect" | "gone" | "invalid_url" | "forbidden_address" | "no_secret" | "dns" | "connection_refused" | "connection_closed" | "unreachable" | "tls" | "protocol" | "answer_too_large" | "failed";
        Attestation: {
            verdict: components["schemas"]["AttestationVerdict"];
            /** @description `turnstile`, `app_attest`, `play_integrity`, or `unknown` for a token in an unknown format */
            provider: string;
            /** @description why the result is an error */
            detail?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            checked_at: string;
        };
        /** @enum {unknown} */
        AttestationVerdict: "ok" | "error";
        AuditEntry: {
            id: string;
            /** @description such as `api_key.created` */
            action: string;
            actor: components["schemas"]["Actor"];
            /** @description id or slug of the changed object */
            target?: string;
            detail: {
                [key: string]: unknown;
            };
            request_id?: string;
            /** @description IP address it came from */
            address?: string;
            /** @description in words, such as `Chrome on Windows` */
            device?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
        };
        AuditEntryList: {
            data: components["schemas"]["AuditEntry"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        /** @enum {unknown} */
        Band: "clear" | "doubtful" | "confident";
        Batch: {
            id: string;
            state: components["schemas"]["BatchState"];
            /** @description rows */
            total: number;
            /** @description rows that have their verification */
            created: number;
            /** @description rows that could not get one */
            failed: number;
            /** @description people with an e-mail address get their link by mail */
            send: boolean;
            template_id?: string;
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            ended_at?: string;
            /** @description why the service cancelled it: `not_allowed` when the person who started it lost the role for it, or the key was revoked */
            stopped?: components["schemas"]["Stopped"];
            /** @description in the answer that creates the batch: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
        };
        BatchCheck: {
            total: number;
            faults: components["schemas"]["BatchFault"][];
            preview: components["schemas"]["CreateVerificationRequest"][];
            /** @description for every row: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
        };
        BatchFault: {
            /** @description as a spreadsheet counts: the header of a CSV is row 1; JSON rows begin at 1 */
            row: number;
            /** @description empty: the whole row */
            column: string;
            /** @description in English, for people; it may change */
            message: string;
            /** @description Branch on it. Later versions may add codes: treat an unknown one as `invalid`. */
            code: components["schemas"]["FaultCode"] | string;
            /** @description what the code needs to be told in words, such as the bound that was broken */
            params?: {
                [key: string]: string | number | boolean | string[];
            };
        };
        BatchList: {
            data: components["schemas"]["Batch"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        BatchRequest: {
            template_id?: string;
            request?: components["schemas"]["TemplateRequest"];
            rows: components["schemas"]["BatchRow"][];
        };
        BatchRow: {
            [key: string]: unknown;
        };
        /** @enum {unknown} */
        BatchState: "queued" | "running" | "completed" | "cancelled";
        BlindSample: {
            decided: number;
            approved: number;
        };
        Brand: {
            /** @description The short name of a brand */
            slug: string;
            name: string;
            /** Format: uri */
            logo_url?: string;
            colors?: components["schemas"]["Colors"];
            /** @description the colors the pages use, with the accent made legible */
            worn_colors?: components["schemas"]["WornColors"];
            /** @description for links that wear this brand, besides the account's `allowed_origins` */
            allowed_origins?: string[];
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand
             */
            return_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
        };
        BrandInput: {
            name: string;
            /** @description JPEG, PNG or WebP of at most 1048576 bytes */
            logo_base64?: string | null;
            colors?: components["schemas"]["Colors"];
            /** @description for links that wear this brand, besides the account's `allowed_origins` */
            allowed_origins?: string[];
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand
             */
            return_url?: string;
        };
        BrandList: {
            data: components["schemas"]["Brand"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        BrandView: {
            slug: string;
            name: string;
            logo_url?: string;
            colors?: components["schemas"]["BrandViewColors"];
        };
        BrandViewColors: {
            accent: string;
            background?: string;
        };
        BulkAct: {
            id: string;
            /** @description `cancel` ends open links. `resend` sends the newest event of each verification again, to every URL it went to. `reissue` asks the same person for the same photos with a new link. `review` puts ended cases into the review queue. `redact` deletes photos and personal data for good. */
            act: components["schemas"]["BulkActName"];
            /** @description `collecting`: the verifications of the filter are being listed, and `total` still grows */
            state: components["schemas"]["BulkActState"];
            /** @description verifications */
            total: number;
            done: number;
            /** @description verifications that refused the act; the results say why */
            failed: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            ended_at?: string;
            /** @description why the service cancelled it: `not_allowed` when the person who started it lost the role for it, or the key was revoked */
            stopped?: components["schemas"]["Stopped"];
        };
        BulkActList: {
            data: components["schemas"]["BulkAct"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        /** @enum {unknown} */
        BulkActName: "cancel" | "resend" | "reissue" | "review" | "redact";
        BulkActRequest: {
            /** @description `cancel` ends open links. `resend` sends the newest event of each verification again, to every URL it went to. `reissue` asks the same person for the same photos with a new link. `review` puts ended cases into the review queue. `redact` deletes photos and personal data for good. */
            act: components["schemas"]["BulkActName"];
            /** @description the verifications; or send `filter` */
            ids?: string[];
            filter?: components["schemas"]["BulkFilter"];
            /** @description `reissue` only: mail each person with an e-mail address their link. Default: false. */
            send?: boolean;
            /** @description no personal data: it stays */
            reason?: string;
        };
        /** @enum {unknown} */
        BulkActState: "queued" | "collecting" | "running" | "completed" | "cancelled";
        BulkFilter: {
            status?: components["schemas"]["Status"][];
            verdict?: components["schemas"]["VerdictLabel"][];
            template_id?: string[];
            review?: components["schemas"]["ReviewState"][];
            brand_slug?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_before?: string;
            external_ref?: string;
            q?: string;
            /** @description Your own keys and values. Every read and every webhook repeats them. */
            metadata?: {
                [key: string]: string;
            };
        };
        /** @enum {unknown} */
        CameraPermission: "granted" | "denied" | "unavailable" | "unknown";
        /** @enum {unknown} */
        CameraSign: "drawn_track" | "replaced_function";
        Capture: {
            id: string;
            step_key: string;
            source: components["schemas"]["CaptureSource"];
            surface?: string;
            content_type: string;
            /** @description of the original file */
            size_bytes: number;
            /** @description pixels */
            width: number;
            /** @description pixels */
            height: number;
            sha256: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            client_captured_at?: string;
            /** @description presigned URL, valid for 1 hour */
            image_url?: string;
            /** @description presigned URL, valid for 1 hour */
            preview_url?: string;
            /** @description presigned URL, valid for 1 hour: all pixels as JPEG, where most browsers cannot show `content_type`; above 24 megapixels at half the size */
            display_url?: string;
            /** @description presigned URL, valid for 1 hour: the photo after a small sideways move */
            second_frame_url?: string;
            /** @description for people who sign in; keys and webhooks get none */
            explanation?: components["schemas"]["Explanation"];
            attestation?: components["schemas"]["Attestation"];
            location?: components["schemas"]["GeoPoint"];
            /** @description `app`: the photo came with a passed attestation of an app. `page`: the request has the headers that a browser sends from the capture page; a program can send the same. `program`: anything else. */
            location_source?: components["schemas"]["LocationSource"];
            location_match?: components["schemas"]["CaptureLocationMatch"];
            signals?: components["schemas"]["CaptureSignals"];
            /** @description camera, time and place as the file states them */
            metadata?: {
                [key: string]: unknown;
            };
            context?: components["schemas"]["ContextCheck"];
            presence?: components["schemas"]["Presence"];
            /** @description text read for ocr_type */
            text?: {
                [key: string]: unknown;
            };
        };
        CaptureAiDetection: {
            label: components["schemas"]["AiLabel"];
            confidence: number;
            band?: components["schemas"]["Band"];
            /** @description false if the signal could not be evaluated */
            evaluated?: boolean;
            /** @description why the signal could not be evaluated */
            reason?: components["schemas"]["Unanswered"];
        } & {
            [key: string]: unknown;
        };
        CaptureAssessment: {
            capture_id: string;
            ai: components["schemas"]["AiRisk"];
            screen: boolean;
        };
        CaptureConfig: {
            max_captures: number;
            steps: components["schemas"]["Step"][];
            signals_required: components["schemas"]["SignalName"][];
        };
        CaptureDepth: {
            source: string;
            confidence: number;
            band?: components["schemas"]["Band"];
            /** @description false if the signal could not be evaluated */
            evaluated?: boolean;
            /** @description why the signal could not be evaluated */
            reason?: components["schemas"]["Unanswered"];
        } & {
            [key: string]: unknown;
        };
        CaptureLocationMatch: {
            result: components["schemas"]["LocationResult"];
            distance_m?: number;
            tolerance_m?: number;
            /** @description `app`: the photo came with a passed attestation of an app. `page`: the request has the headers that a browser sends from the capture page; a program can send the same. `program`: anything else. */
            source?: components["schemas"]["LocationSource"];
            /** @description from the expected place to the position in the file */
            exif_distance_m?: number;
        };
        CaptureRequest: {
            image_base64?: string;
            image_key?: string;
            image_sha256?: string;
            step_key?: string;
            surface?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            client_captured_at?: string;
            location?: components["schemas"]["GeoPoint"];
            motion_frame_base64?: string;
            motion_frame_key?: string;
            /** @description A Turnstile token as it is, or an envelope as JSON text: {"provider":"app_attest","key_id","attestation"}, {"provider":"app_attest","key_id","assertion"} or {"provider":"play_integrity","token"}, binary members in base64. Apps have the SHA-256 of "<verification id>.<SHA-256 of the picture, lowercase hex>" vouched for: as clientDataHash, or in URL-safe base64 without padding as requestHash or nonce. */
            attestation_token?: string;
            challenge_id?: string;
            /** @description the `image_key` under which the trace was uploaded */
            trace_key?: string;
            trace_sha256?: string;
        };
        CaptureRequirements: {
            /** @description ask for the location with the first photo */
            location: boolean;
            /** @description take a second photo after a small sideways move */
            motion_frame: boolean;
        };
        CaptureReverseSearch: {
            found_online: boolean;
            match_count: number;
            band?: components["schemas"]["Band"];
            /** @description false if the signal could not be evaluated */
            evaluated?: boolean;
            /** @description why the signal could not be evaluated */
            reason?: components["schemas"]["Unanswered"];
        } & {
            [key: string]: unknown;
        };
        CaptureScreenDetection: {
            screen_detected: boolean;
            confidence: number;
            band?: components["schemas"]["Band"];
            /** @description false if the signal could not be evaluated */
            evaluated?: boolean;
            /** @description why the signal could not be evaluated */
            reason?: components["schemas"]["Unanswered"];
        } & {
            [key: string]: unknown;
        };
        CaptureSignals: {
            screen_detection?: components["schemas"]["CaptureScreenDetection"] | components["schemas"]["NotApplicable"];
            ai_detection?: components["schemas"]["CaptureAiDetection"] | components["schemas"]["NotApplicable"];
            reverse_search?: components["schemas"]["CaptureReverseSearch"] | components["schemas"]["NotApplicable"];
            depth?: components["schemas"]["CaptureDepth"] | components["schemas"]["NotApplicable"];
        };
        /** @enum {unknown} */
        CaptureSource: "live" | "upload";
        CaseAnalysis: {
            overall_risk_score: number;
            confidence: number;
            dimensions: components["schemas"]["CaseDimensions"];
            review_priority: components["schemas"]["ReviewPriority"];
            uncertainty_areas: string[];
            model: string;
            rubric_version?: number;
            consistency_level?: number;
            analysis?: components["schemas"]["CaptureAssessment"][];
            text_analysis?: string;
        };
        CaseDimensions: {
            cross_image_consistency: components["schemas"]["Dimension"];
            physical_plausibility: components["schemas"]["Dimension"];
            narrative_image_match?: components["schemas"]["Dimension"];
        };
        Challenge: {
            challenge_id: string;
            /** @description make them one after the other */
            moves: components["schemas"]["Move"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC. Count the trace's `began_at` from this time, so that the phone's clock does not matter.
             */
            issued_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC. Make the film and announce it before this time.
             */
            expires_at: string;
        };
        ChallengeRequest: {
            step_key: string;
        };
        ChatWebhook: {
            configured: boolean;
            host?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at?: string;
        };
        ChatWebhookInput: {
            /**
             * Format: iri
             * @description an incoming webhook of Slack, or of a chat that takes the same (Mattermost, Rocket.Chat, Zulip)
             */
            url: string;
        };
        ChatWebhookTest: {
            delivered: boolean;
            /** @description absent when no answer came */
            status_code?: number;
            /** @description its first characters */
            answer?: string;
        };
        /** @enum {unknown} */
        Chooser: "sender" | "service";
        Colors: {
            /** @description #rrggbb */
            accent: string;
            /** @description #rrggbb */
            background?: string;
        };
        Condition: {
            score: number;
            label: components["schemas"]["ConditionLabel"];
            aspects: components["schemas"]["AspectScore"][];
        };
        /** @enum {unknown} */
        ConditionLabel: "good" | "fair" | "poor";
        Config: {
            max_captures: number;
            steps: components["schemas"]["Step"][];
            signals_required: components["schemas"]["SignalName"][];
            mode?: components["schemas"]["VerificationMode"];
            context?: components["schemas"]["Context"];
            webhook_url?: string;
            notify_email?: string | null;
            /** @description Your own keys and values. Every read and every webhook repeats them. */
            metadata?: {
                [key: string]: string;
            };
            expected_location?: string;
            expected_object?: string;
            condition_aspects?: string[];
            /** @description where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes */
            depth_policy?: components["schemas"]["DepthPolicy"];
        };
        Context: {
            kind: string;
            summary: string;
            attributes?: {
                [key: string]: string | number | boolean;
            };
        };
        ContextCheck: {
            evaluated: boolean;
            band?: components["schemas"]["Band"];
            plausible?: components["schemas"]["Plausibility"];
            probability?: number;
            reasoning?: string;
            /** @description the picture contains text that addresses the person or model that checks it */
            instructions_found?: boolean;
            model?: string;
            /** @description why the signal could not be evaluated */
            no_answer?: string;
        };
        CreateApiKey: {
            name: string;
            mode: components["schemas"]["Mode"];
            /** @description limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key */
            scopes?: components["schemas"]["KeyScope"][];
            /** @description the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes` */
            template_id?: string;
        };
        CreateVerificationRequest: {
            /** @description Asks for this many photos in one step. Send this or `steps`. */
            max_captures?: number;
            /** @description The photos, files and answers to ask for, in order. At most 20 captures in all. */
            steps?: components["schemas"]["StepInput"][];
            /** @description How long the capture link works. Default: 3600. */
            expires_in_seconds?: number;
            /** @description The signals that decide the verdict. The account's setting replaces the default. Default: ["screen","ai"]. */
            signals_required?: components["schemas"]["SignalName"][];
            /** @description where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes */
            depth_policy?: components["schemas"]["DepthPolicy"];
            /** @description Seals the record and the answers with a hash at completion. Default: true. */
            seal?: boolean;
            /** @description `audit`: existing files instead of live photos; `screen` and `depth` do not apply */
            mode?: components["schemas"]["VerificationMode"];
            context?: components["schemas"]["Context"];
            /**
             * Format: iri
             * @description Gets a signed POST for every event of the verification
             */
            webhook_url?: string;
            /** @description Gets an e-mail with the outcome. `null` turns off the account's default. */
            notify_email?: string | null;
            /** @description Your own keys and values. Every read and every webhook repeats them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Where the photos must be taken: an address, `latitude,longitude` or a full plus code */
            expected_location?: string;
            /** @description What the photos must show */
            expected_object?: string;
            /** @description What to grade from 0 to 10, for example `paint` */
            condition_aspects?: string[];
            expected_info?: components["schemas"]["ExpectedInfo"];
            /** @description The short name of a brand */
            brand_slug?: string;
            /** @description messaging bot only */
            tenant_id?: string;
        };
        CreationWarning: {
            signal: components["schemas"]["SignalName"];
            reason: components["schemas"]["WarningReason"];
            /** @description in English, for the developer */
            message: string;
        };
        /** @enum {unknown} */
        CredentialOf: "original" | "preview";
        /** @enum {unknown} */
        Decision: "approved" | "rejected" | "retake" | "escalated";
        /** @enum {unknown} */
        DeliveryStatus: "pending" | "succeeded" | "failed" | "cancelled";
        /** @enum {unknown} */
        DepthPolicy: "lenient" | "strict" | "attested";
        Dimension: {
            score: number;
            evidence: string;
            concerns?: string[];
        };
        EndUserView: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: uri
             * @description the link for the person with the camera
             */
            capture_url: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** @description captures received so far */
            captures_count: number;
            config: components["schemas"]["CaptureConfig"];
            step_states: components["schemas"]["StepState"][];
            /**
             * @description Only on trials. A stranger made the request, so the steps come without their descriptions.
             * @constant
             */
            trial?: true;
            brand?: components["schemas"]["BrandView"];
            requires: components["schemas"]["CaptureRequirements"];
            turnstile_site_key?: string;
        };
        /** @enum {unknown} */
        EndpointStatus: "enabled" | "disabled";
        /** @enum {unknown} */
        ErasedKind: "images" | "previews" | "heat_maps" | "second_frames" | "fingerprints" | "image_metadata" | "locations" | "read_text" | "signals" | "answers" | "person" | "narrative" | "case_analysis" | "review_notes" | "metadata" | "context" | "asset_ref" | "expectations" | "progress" | "record_seal" | "webhook_bodies" | "webhook_answers" | "notifications" | "replayed_answers" | "evidence_bundle" | "statements" | "salts";
        /** @enum {unknown} */
        ErrorCode: "invalid_request" | "unknown_step" | "unauthorized" | "forbidden" | "reauthentication_required" | "not_found" | "idempotency_in_progress" | "idempotency_key_used" | "step_full" | "steps_incomplete" | "already_finalized" | "verification_closed" | "template_revoked" | "not_completed" | "on_hold" | "last_owner" | "already_member" | "not_configured" | "not_reviewable" | "claimed" | "already_decided" | "own_photo" | "undo_expired" | "expired" | "redacted" | "idempotency_conflict" | "too_many_requests" | "internal_error" | "storage_unavailable";
        ErrorDetail: {
            code: components["schemas"]["ErrorCode"];
            /** @description what went wrong, in English */
            message: string;
            /**
             * Format: uri
             * @description the page of this service that explains the code
             */
            doc_url: string;
            /** @description on `invalid_request`, and on `forbidden` where a key for apps sent members that it may not send */
            fields?: components["schemas"]["Fault"][];
        };
        ErrorResponse: {
            error: components["schemas"]["ErrorDetail"];
        };
        EvidenceKey: {
            /** @constant */
            kty: "OKP";
            /** @constant */
            crv: "Ed25519";
            x: string;
            /** @description RFC 7638 thumbprint */
            kid: string;
            /** @constant */
            alg: "EdDSA";
            /** @constant */
            use: "sig";
            /** @description what it signs: the log, or bundles and receipts */
            role: components["schemas"]["EvidenceKeyRole"];
            /** @description the verifier key (c2sp.org/signed-note) */
            vkey: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            retired_at?: string;
        };
        /** @enum {unknown} */
        EvidenceKeyRole: "log" | "bundle";
        EvidenceKeys: {
            keys: components["schemas"]["EvidenceKey"][];
        };
        ExpectedInfo: {
            /** @description Default: "individual". */
            source?: components["schemas"]["ExpectedInfoSource"];
            shared?: components["schemas"]["SharedExpectations"];
            subject?: components["schemas"]["SubjectExpectations"];
        };
        /** @enum {unknown} */
        ExpectedInfoSource: "individual" | "csv";
        ExpectedPerson: {
            name?: string;
            /** Format: idn-email */
            email?: string;
            phone_e164?: string;
            external_ref?: string;
        };
        ExplainedThreshold: {
            at: number;
            odds?: components["schemas"]["Odds"];
        };
        ExplainedThresholds: {
            /** @description the score from which the band begins, by the settings of today */
            doubtful: components["schemas"]["ExplainedThreshold"];
            /** @description the score from which the band begins, by the settings of today */
            confident: components["schemas"]["ExplainedThreshold"];
        };
        Explanation: {
            screen?: components["schemas"]["SignalExplanation"];
            ai?: components["schemas"]["SignalExplanation"];
            context?: components["schemas"]["SignalExplanation"];
            reverse?: components["schemas"]["SignalExplanation"];
            depth?: components["schemas"]["SignalExplanation"];
        };
        Fault: {
            path: string;
            /** @description in English, for people; it may change */
            message: string;
            /** @description Branch on it. Later versions may add codes: treat an unknown one as `invalid`. */
            code: components["schemas"]["FaultCode"] | string;
            /** @description what the code needs to be told in words, such as the bound that was broken */
            params?: {
                [key: string]: string | number | boolean | string[];
            };
        };
        /** @enum {unknown} */
        FaultCode: "required" | "unknown_property" | "type" | "enum" | "pattern" | "format" | "too_short" | "too_long" | "too_few" | "too_many" | "too_small" | "too_large" | "too_many_bytes" | "wrong_size" | "too_deep" | "invalid_name" | "unusable_text" | "duplicate" | "conflict" | "not_allowed" | "read_only" | "masked" | "unknown_reference" | "revoked" | "not_configured" | "incomplete" | "unsupported_type" | "truncated" | "undecodable" | "too_many_pixels" | "too_few_pixels" | "not_uploaded" | "hash_mismatch" | "cell_count" | "no_heading" | "invalid";
        FilmAnnouncement: {
            challenge_id: string;
            /** @description of the photo */
            image_sha256: string;
            /** @description of the film */
            trace_sha256: string;
        };
        /** @enum {unknown} */
        FinalDecision: "approved" | "rejected" | "retake";
        FinalizeRequest: {
            /** @description what happened, in the claimant's words */
            narrative: string;
        };
        FoundRate: {
            count: number;
            of: number;
            at_least?: number;
        };
        Funnel: {
            landing: number;
            ready: number;
            camera_blocked: number;
            capturing: number;
            reviewing: number;
            uploading: number;
            success: number;
        };
        GeoPoint: {
            latitude: number;
            longitude: number;
            accuracy_m?: number;
            simulated?: boolean;
        };
        HotTile: {
            x: number;
            y: number;
            width: number;
            height: number;
            /** @description how far its pattern is from what nature has */
            strength: number;
        };
        ImageStep: {
            /** @constant */
            type: "image";
            key: string;
            /** @description what the person reads above the viewfinder */
            description: string;
            /** @description captures needed; 0 makes the step optional */
            min: number;
            /** @description the most captures that this step takes */
            max: number;
        };
        ImageStepInput: {
            /** @constant */
            type?: "image";
            key: string;
            /** @description what the person reads above the viewfinder */
            description?: string;
            /** @description captures needed; 0 makes the step optional */
            min: number;
            /** @description the most captures that this step takes */
            max: number;
        };
        /** @enum {unknown} */
        ImageType: "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "image/heif";
        /** @enum {unknown} */
        InstructedCheck: "context" | "object" | "condition" | "text" | "case_analysis";
        Invitation: {
            /** Format: idn-email */
            email?: string;
            /** @description E.164 */
            phone_e164?: string;
            name?: string;
            role: components["schemas"]["Role"];
        };
        InvitedPerson: {
            id: string;
            name?: string;
            /** @description owners and the secret key alone see it */
            email?: string;
            /** @description owners and the secret key alone see it */
            phone_e164?: string;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description absent: never signed in
             */
            last_sign_in_at?: string;
            /**
             * Format: uri
             * @description where no mail was sent: hand it to the person. Works once, for 7 days; left out of a replayed answer
             */
            sign_in_url?: string;
        };
        /** @enum {unknown} */
        KeyScope: "create" | "capture";
        LegalHold: {
            verification_id: string;
            reason: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            placed_at: string;
        };
        LegalHoldRequest: {
            /** @description no personal data: it stays */
            reason: string;
        };
        LinkTemplate: {
            id: string;
            name: string;
            version: number;
            status: components["schemas"]["LinkTemplateStatus"];
            /**
             * Format: uri
             * @description opening it creates a verification from the current version
             */
            url: string;
            request: components["schemas"]["TemplateRequest"];
            /** @description for this template's verifications, in place of the account's `retention_days` */
            retention_days?: number;
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's
             */
            return_url?: string;
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            /** @description when one template is created, changed or read, until it is revoked: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
        };
        LinkTemplateInput: {
            name: string;
            request: components["schemas"]["TemplateRequest"];
            /** @description for this template's verifications, in place of the account's `retention_days` */
            retention_days?: number;
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's
             */
            return_url?: string;
        };
        LinkTemplateList: {
            data: components["schemas"]["LinkTemplate"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        /** @enum {unknown} */
        LinkTemplateStatus: "active" | "revoked";
        LinkTemplateVersion: {
            version: number;
            name: string;
            request: components["schemas"]["TemplateRequest"];
            /** @description for this template's verifications, in place of the account's `retention_days` */
            retention_days?: number;
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's
             */
            return_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            published_at: string;
        };
        LinkTemplateWithVersions: {
            id: string;
            name: string;
            version: number;
            status: components["schemas"]["LinkTemplateStatus"];
            /**
             * Format: uri
             * @description opening it creates a verification from the current version
             */
            url: string;
            request: components["schemas"]["TemplateRequest"];
            /** @description for this template's verifications, in place of the account's `retention_days` */
            retention_days?: number;
            /**
             * Format: iri
             * @description where the capture page's last screen leads; its origin must be one of the `allowed_origins` of the account or the brand; replaces the brand's
             */
            return_url?: string;
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            /** @description when one template is created, changed or read, until it is revoked: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
            /** @description newest first */
            versions: components["schemas"]["LinkTemplateVersion"][];
        };
        LocationMatch: {
            result: components["schemas"]["LocationResult"];
            expected_location: string;
        };
        /** @enum {unknown} */
        LocationResult: "rejected" | "no_match" | "ungeocoded" | "verified";
        /** @enum {unknown} */
        LocationSource: "app" | "page" | "program";
        MagicLinkRequest: {
            /** Format: idn-email */
            email: string;
        };
        Me: {
            person: components["schemas"]["MePerson"];
            tenant: components["schemas"]["MeTenant"];
            tenants: components["schemas"]["MembershipEntry"][];
            /** @description accounts that invited the person and wait; `POST /v1/me/tenant` accepts. Absent: none */
            invitations?: components["schemas"]["WaitingInvitation"][];
            session: components["schemas"]["MeSession"];
            passkeys: components["schemas"]["Passkey"][];
        };
        MePerson: {
            id: string;
            name?: string;
            email?: string;
            phone_e164?: string;
        };
        MeSession: {
            id: string;
            /** @description `passkey`, `magic_link`, `invitation`, `one_time_code`, `first_run` or `oidc:<provider>` */
            method: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description when it ends if nothing more is asked
             */
            expires_at: string;
        };
        MeTenant: {
            id: string;
            name: string;
            role: components["schemas"]["Role"];
            livemode: boolean;
        };
        MembershipEntry: {
            id: string;
            name: string;
            role: components["schemas"]["Role"];
        };
        MissingSettings: {
            providers?: string;
            magic_link?: string;
            one_time_code?: string;
            passkey?: string;
        };
        /** @enum {unknown} */
        Mode: "live" | "test";
        /** @enum {unknown} */
        Move: "left" | "right" | "up" | "down";
        NewApiKey: {
            id: string;
            name: string;
            kind: components["schemas"]["ApiKeyKind"];
            /** @description absent on a secret key, which works in both modes */
            livemode?: boolean;
            /** @description limits the key to these actions: `create` creates verifications, `capture` is the capture flow of each. A key with scopes lists and reads nothing: put such a key into apps. It needs a `template_id`. Absent: every action of a publishable key */
            scopes?: components["schemas"]["KeyScope"][];
            /** @description the link template that a key with scopes creates verifications from. It decides what is checked, who is told and what the page shows. Required with `scopes` */
            template_id?: string;
            /** @description the first characters of the key, to recognise it by */
            prefix: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /** @description the key itself; a retry does not repeat it */
            key?: string;
        };
        NewPasskey: {
            name: string;
            response: components["schemas"]["PasskeyAttestation"];
        };
        NextReview: {
            /** @description `suspicious` and `failed`: by the verdict or status. `checks`: place or object did not match, or the file of a live photo is from another day. Default: "all". */
            queue?: components["schemas"]["ReviewQueue"];
            /** @description the cases at hand: their claims are renewed. When sent, a case that you hold and do not list comes first, so that a reloaded page gets its cases back */
            holding?: string[];
        };
        /** @enum {unknown} */
        NoOdds: "not_evaluated" | "no_score" | "no_set" | "too_few_pictures" | "other_model";
        NotApplicable: {
            /** @constant */
            status: "not_applicable";
            /** @constant */
            reason: "uploaded_content";
        };
        Nothing: Record<string, never>;
        ObjectMatch: {
            status: components["schemas"]["ObjectMatchStatus"];
            expected_object: string;
        };
        /** @enum {unknown} */
        ObjectMatchStatus: "match" | "mismatch" | "inconclusive";
        Odds: {
            /** @description genuine pictures in the calibration set */
            pictures: number;
            /** @description those of them that score at least as high */
            as_high: number;
            /** @description about one genuine picture in so many: (pictures + 1) / (as_high + 1), to two digits */
            one_in: number;
        };
        OneTimeCode: {
            otp_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
        };
        OneTimeCodeRedeem: {
            otp_id: string;
            code: string;
        };
        OneTimeCodeRequest: {
            /** @description E.164 */
            phone_e164: string;
        };
        Passkey: {
            id: string;
            name: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            last_used_at?: string;
        };
        PasskeyAssertion: {
            id: string;
            rawId: string;
            /** @constant */
            type: "public-key";
            response: components["schemas"]["PasskeyAssertionResponse"];
            clientExtensionResults?: components["schemas"]["PasskeyExtensionResults"];
            authenticatorAttachment?: string | null;
        } & {
            [key: string]: unknown;
        };
        PasskeyAssertionResponse: {
            clientDataJSON: string;
            authenticatorData: string;
            signature: string;
        } & {
            [key: string]: unknown;
        };
        PasskeyAttestation: {
            id: string;
            rawId: string;
            /** @constant */
            type: "public-key";
            response: components["schemas"]["PasskeyAttestationResponse"];
            clientExtensionResults?: components["schemas"]["PasskeyExtensionResults"];
            authenticatorAttachment?: string | null;
        } & {
            [key: string]: unknown;
        };
        PasskeyAttestationResponse: {
            clientDataJSON: string;
            attestationObject: string;
        } & {
            [key: string]: unknown;
        };
        PasskeyExtensionResults: {
            [key: string]: unknown;
        };
        PasskeyOptions: {
            challenge: string;
        } & {
            [key: string]: unknown;
        };
        PathPoint: {
            /** @description ms since the first frame */
            at: number;
            x: number;
            y: number;
        };
        Person: {
            id: string;
            name?: string;
            /** @description owners and the secret key alone see it */
            email?: string;
            /** @description owners and the secret key alone see it */
            phone_e164?: string;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description absent: never signed in
             */
            last_sign_in_at?: string;
        };
        PersonList: {
            data: components["schemas"]["Person"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        PersonPatch: {
            role?: components["schemas"]["Role"];
            name?: string;
        };
        PictureStepState: {
            key: string;
            type: components["schemas"]["PictureStepType"];
            captured: number;
            remaining: number;
            /** @description pixels that a picture must have on its long side */
            min_long_side?: number;
            /**
             * @description this step shows flat things: no moves and no second photo are asked for
             * @constant
             */
            motion_frame?: false;
        };
        /** @enum {unknown} */
        PictureStepType: "image" | "upload";
        /** @enum {unknown} */
        Plausibility: "yes" | "no" | "unclear";
        Presence: {
            result: components["schemas"]["PresenceResult"];
            checks: components["schemas"]["PresenceChecks"];
            /** @description why there are no checks of a session, or what a session lacks under `strict` */
            words?: string;
            evidence?: components["schemas"]["PresenceEvidence"];
        };
        PresenceCheck: {
            /** @description false: the check has no answer and counts neither way */
            evaluated: boolean;
            passed?: boolean;
            /** @description that the session is the attack this check looks for; ordered, not calibrated */
            probability?: number;
            /** @description one sentence for the person who reviews the photo */
            words: string;
            /** @description what was measured */
            evidence?: {
                [key: string]: unknown;
            };
        };
        PresenceChecks: {
            fresh?: components["schemas"]["PresenceCheck"];
            continuous?: components["schemas"]["PresenceCheck"];
            asked?: components["schemas"]["PresenceCheck"];
            depth?: components["schemas"]["PresenceCheck"];
            sensor?: components["schemas"]["PresenceCheck"];
            hand?: components["schemas"]["PresenceCheck"];
            light?: components["schemas"]["PresenceCheck"];
        };
        PresenceEvidence: {
            /** @description presigned URL, valid for 1 hour: JPEG with some frames of the trace side by side */
            strip_url?: string;
            moves_asked: components["schemas"]["Move"][];
            /** @description the moves that the page saw, by its own account */
            moves_done?: components["schemas"]["Move"][];
            /** @description where the camera pointed at each frame, as shares of the picture’s longer side; y down */
            path: components["schemas"]["PathPoint"][];
            noise?: components["schemas"]["PresenceNoise"];
            /** @description share of the photo’s area that the film does not show */
            uncovered?: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            began_at?: string;
            /** @description from the beginning of the trace to the arrival of the photo */
            delay_seconds?: number;
            /** @description how many challenges were asked for in this step */
            challenges?: number;
            /** @description the person chose the way out */
            gave_up?: boolean;
            /** @description what suggests that something stands in the place of the camera: `drawn_track`, the film comes from a canvas or a program; `replaced_function`, a function of the browser that opens or describes cameras is not its own, which privacy extensions do too */
            camera_signs?: components["schemas"]["CameraSign"][];
        };
        PresenceNoise: {
            /** @description correlation of the crops’ noise at rest on the sensor, -1 to 1 */
            before: number;
            /** @description correlation after the crops were aligned by the scene, -1 to 1; near 1 in a photo that a program pans */
            after: number;
            /** @description presigned URL, valid for 1 hour: PNG with the noise of two crops laid on each other; grey where they agree, coloured where not */
            before_url?: string;
            /** @description the same after the crops were aligned by the scene; grey in a photo that a program pans */
            after_url?: string;
        };
        /** @enum {unknown} */
        PresenceResult: "passed" | "failed" | "inconclusive" | "not_performed";
        PreviousWebhookSecret: {
            secret: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
        };
        Progress: {
            /** @constant */
            schema_version: 1;
            step: components["schemas"]["ProgressStep"];
            /** @description since the page was opened */
            elapsed_ms: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at: string;
            step_index?: number;
            camera_permission?: components["schemas"]["CameraPermission"];
        };
        ProgressRequest: {
            /** @constant */
            schema_version: 1;
            step: components["schemas"]["ProgressStep"];
            /** @description since the page was opened */
            elapsed_ms: number;
            step_index?: number;
            camera_permission?: components["schemas"]["CameraPermission"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            updated_at?: string;
            /** @description the person left before finishing */
            abandoned?: boolean;
        };
        /** @enum {unknown} */
        ProgressStep: "landing" | "ready" | "capturing" | "reviewing" | "uploading" | "camera_blocked" | "success";
        PublicSeal: {
            /** @constant */
            algorithm: "sha256";
            hash: string;
        };
        PublicVerdict: {
            label: components["schemas"]["VerdictLabel"];
        };
        PublicView: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            completed_at?: string;
            /** @description captures received so far */
            captures_count: number;
            /**
             * @description Only on test verifications and trials: they prove nothing.
             * @constant
             */
            livemode?: false;
            verdict?: components["schemas"]["PublicVerdict"];
            brand?: components["schemas"]["BrandView"];
            record_seal?: components["schemas"]["PublicSeal"];
        };
        PublishedRates: {
            flagged: components["schemas"]["Rate"];
            at_most: number;
            found?: components["schemas"]["FoundRate"];
        };
        Rate: {
            count: number;
            of: number;
        };
        /** @enum {unknown} */
        ReasonCode: "screen_detected" | "ai_generated" | "context_mismatch" | "reverse_search_match" | "depth_anomaly";
        RecordSeal: {
            /** @constant */
            algorithm: "sha256";
            hash: string;
            covers: components["schemas"]["SealPart"][];
            /** @constant */
            answers_provenance: "user_declared";
        };
        RecoverRequest: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            since: string;
            url?: string;
        };
        Recovered: {
            recovered: number;
        };
        RedactRequest: {
            /** @description no personal data: it stays */
            reason?: string;
        };
        RedactedLeaf: {
            seq: number;
            /** @description place in the transparency log */
            index: number;
            commitment: string;
        };
        RedactionKept: {
            /** @description SHA-256 of each photo */
            image_sha256: string[];
            verdict_label?: components["schemas"]["VerdictLabel"];
        };
        RedactionReceipt: {
            verification_id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            redacted_at: string;
            reason?: string;
            /** @description kinds of data that were deleted, whether or not there were any */
            removed: components["schemas"]["ErasedKind"][];
            kept: components["schemas"]["RedactionKept"];
            /** @description entries of the log, which say nothing without the deleted salts */
            leaves: components["schemas"]["RedactedLeaf"][];
            /** @constant */
            not_recalled: "bundles already downloaded";
            /**
             * Format: date-time
             * @description when the last backup with the data ends (`BACKUP_DAYS`)
             */
            backups_until?: string;
            /** @description the key of `GET /v1/evidence-keys` that signs (`kid`) */
            key_id: string;
            /** @description Ed25519, base64, over the RFC 8785 canonical JSON of this object without `signature` */
            signature: string;
        };
        Replay: {
            /** @description completed verifications that were judged again, the newest first */
            cases: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            since?: string;
            /** @description as asked for; without: those in force */
            thresholds: components["schemas"]["ReplayedThresholds"];
            in_force: components["schemas"]["ThresholdsInForce"];
            /** @description cases whose verdict would be another */
            flips: number;
            /** @description flips by verdict before and after */
            by: components["schemas"]["ReplayedFlips"][];
            /** @description those that flip, newest first, at most 500 */
            verifications: components["schemas"]["ReplayedVerification"][];
        };
        /** @enum {unknown} */
        ReplayedDecision: "approved" | "rejected" | "retake";
        ReplayedFlips: {
            from: components["schemas"]["ReplayedLabel"];
            to: components["schemas"]["ReplayedLabel"];
            cases: number;
            /** @description of them, people approved */
            approved: number;
            /** @description of them, people rejected */
            rejected: number;
        };
        /** @enum {unknown} */
        ReplayedLabel: "verified" | "suspicious" | "failed";
        ReplayedThresholds: {
            doubtful: number;
            confident: number;
        };
        ReplayedVerification: {
            id: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            from: components["schemas"]["ReplayedLabel"];
            to: components["schemas"]["ReplayedLabel"];
            /** @description the highest screen score of the case's photos */
            score: number;
            decision?: components["schemas"]["ReplayedDecision"];
        };
        ResendRequest: {
            /** Format: iri */
            url?: string;
        };
        ResentDeliveries: {
            data: components["schemas"]["WebhookDelivery"][];
        };
        Review: {
            id: string;
            decision: components["schemas"]["Decision"];
            reasons: string[];
            note?: string;
            flags?: components["schemas"]["ReviewFlag"][];
            by: components["schemas"]["Reviewer"];
            /** @description made without seeing another person's decision that stood already */
            blind: boolean;
            /** @description how long the case was on screen */
            seconds: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description when its author took it back
             */
            struck_at?: string;
        };
        ReviewAgreement: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            since: string;
            /** @description decisions that stand; an escalation decides nothing */
            decisions: number;
            /** @description how long a case was on screen; absent without a decision */
            median_seconds?: number;
            /** @description cases that a second person decided without seeing the first decision */
            pairs: number;
            /** @description of the pairs, both decided alike */
            agreed: number;
            /** @description agreement beyond chance over the pairs (κ of Fleiss for two): 1 always, 0 as often as chance; absent where all decisions are the same */
            kappa?: number;
            /** @description verified cases that came up at random, unmarked, and of them those that people approved */
            sample: components["schemas"]["BlindSample"];
        };
        ReviewFlag: {
            capture_id: string;
            /** @description true: a photo of the thing itself; false: of a screen, generated or not new */
            genuine: boolean;
        };
        ReviewInput: {
            decision: components["schemas"]["Decision"];
            reasons?: string[];
            note?: string;
            /** @description what the reviewer says of single photos */
            flags?: components["schemas"]["ReviewFlag"][];
            /** @description how long the case was on screen; without it, the time since the claim */
            seconds?: number;
        };
        /** @enum {unknown} */
        ReviewPolicy: "none" | "one" | "two_people";
        /** @enum {unknown} */
        ReviewPriority: "low" | "medium" | "high";
        /** @enum {unknown} */
        ReviewQueue: "all" | "suspicious" | "failed" | "checks";
        /** @enum {unknown} */
        ReviewState: "none" | "open" | "claimed" | "disputed" | "decided";
        ReviewSummary: {
            /** @description `none`: not up for review. `open`: waits for a person. `claimed`: a person has it. `disputed`: two people disagree and a third decides. `decided`: done. */
            state: components["schemas"]["ReviewState"];
            decision?: components["schemas"]["FinalDecision"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            decided_at?: string;
            claimed_by?: components["schemas"]["Reviewer"];
        };
        Reviewer: {
            person_id: string;
            name: string;
        };
        /** @enum {unknown} */
        Role: "viewer" | "reviewer" | "member" | "owner";
        RotateSecretRequest: {
            /** @description Default: 86400. */
            overlap_seconds?: number;
        };
        /** @enum {unknown} */
        SealPart: "record" | "answers";
        SessionEntry: {
            id: string;
            /** @description `passkey`, `magic_link`, `invitation`, `one_time_code`, `first_run` or `oidc:<provider>` */
            method: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description when it ends if nothing more is asked
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            last_seen_at: string;
            /** @description IP address of the sign-in */
            address: string;
            /** @description in words, such as `Chrome on Windows` */
            device: string;
            current: boolean;
        };
        SessionList: {
            data: components["schemas"]["SessionEntry"][];
        };
        Settings: {
            name: string;
            /** @description default for verifications created without one */
            notify_email: string | null;
            /** @description days after which a closed verification is redacted, existing ones too; null: never */
            retention_days: number | null;
            /** @description how many people decide a case that comes up for review: nobody, one, or two who do not see each other's decision */
            review_policy: components["schemas"]["ReviewPolicy"];
            /** @description share of verified verifications that people review too, unmarked */
            review_sample: number;
            /** @description where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes */
            depth_policy: components["schemas"]["DepthPolicy"];
            /** @description default for verifications created without any; null: `screen` and `ai` */
            signals_required: components["schemas"]["SignalName"][] | null;
            /** @description pages on these origins may show the capture page in a frame, and a `return_url` must belong to one; such as `https://claims.example.com` */
            allowed_origins: string[];
            /** @description read only */
            rate_limit_per_minute: number;
        };
        SettingsPatch: {
            name?: string;
            /** @description default for verifications created without one */
            notify_email?: string | null;
            /** @description days after which a closed verification is redacted, existing ones too; null: never */
            retention_days?: number | null;
            /** @description how many people decide a case that comes up for review: nobody, one, or two who do not see each other's decision */
            review_policy?: components["schemas"]["ReviewPolicy"];
            /** @description share of verified verifications that people review too, unmarked */
            review_sample?: number;
            /** @description where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes */
            depth_policy?: components["schemas"]["DepthPolicy"];
            /** @description default for verifications created without any; null: `screen` and `ai` */
            signals_required?: components["schemas"]["SignalName"][] | null;
            /** @description pages on these origins may show the capture page in a frame, and a `return_url` must belong to one; such as `https://claims.example.com` */
            allowed_origins?: string[];
            /** @description read only: sending it is an error */
            rate_limit_per_minute?: unknown;
        };
        SharedExpectations: {
            /** @description Where the photos must be taken: an address, `latitude,longitude` or a full plus code */
            expected_location?: string;
            /** @description What the photos must show */
            expected_object?: string;
            /** @description What to grade from 0 to 10, for example `paint` */
            condition_aspects?: string[];
            ocr_type?: string;
        };
        SignInMethods: {
            providers: components["schemas"]["SignInProvider"][];
            magic_link: boolean;
            one_time_code: boolean;
            passkey: boolean;
            /** @description of each way that is off, the settings that switch it on */
            missing?: components["schemas"]["MissingSettings"];
        };
        SignInProvider: {
            name: string;
            label: string;
        };
        SignalExplanation: {
            /** @description what the thresholds are compared with */
            score?: number;
            /** @description the first photo alone, where two were compared; the odds are its */
            still_score?: number;
            model?: string;
            odds?: components["schemas"]["Odds"];
            no_odds?: components["schemas"]["NoOdds"];
            /** @description present if the signal could not be evaluated */
            unanswered?: components["schemas"]["UnansweredSignal"];
            thresholds?: components["schemas"]["ExplainedThresholds"];
            /** @description measured on sources that the detector never saw: genuine pictures flagged, the upper 95% bound of that share, and what it was to find, with the lower bound of that share over the people who took the pictures */
            published?: components["schemas"]["PublishedRates"];
            /** @description the parts of the picture that say so, strongest first */
            tiles?: components["schemas"]["HotTile"][];
        };
        /** @enum {unknown} */
        SignalName: "screen" | "ai" | "context" | "reverse" | "depth";
        Statistics: {
            buckets: components["schemas"]["StatisticsBucket"][];
            /** @description verifications by the furthest step that the capture page reported */
            funnel: components["schemas"]["Funnel"];
        };
        StatisticsBucket: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            start: string;
            created: number;
            completed: number;
            expired: number;
            /** @description status `failed`: not the verdict */
            failed: number;
            verified: number;
            suspicious: number;
            /** @description verdict `failed`, by its `reason_code` */
            rejected_by_signal: {
                [key: string]: number;
            };
            /** @description people have decided */
            reviewed: number;
            /** @description people approved what was not `verified`, or rejected what was */
            overridden: number;
            /** @description exact to the second up to 63, within 1.6% beyond; absent without any */
            median_seconds_to_capture?: number;
            /** @description exact to the second up to 63, within 1.6% beyond; absent without any */
            median_seconds_to_verdict?: number;
            /** @description exact to the second up to 63, within 1.6% beyond; absent without any */
            median_seconds_to_review?: number;
            /** @description with `by`: the largest first; a verification without a key is in none */
            groups?: components["schemas"]["StatisticsGroup"][];
        };
        StatisticsGroup: {
            key: string;
            created: number;
            completed: number;
            expired: number;
            /** @description status `failed`: not the verdict */
            failed: number;
            verified: number;
            suspicious: number;
            /** @description verdict `failed`, by its `reason_code` */
            rejected_by_signal: {
                [key: string]: number;
            };
            /** @description people have decided */
            reviewed: number;
            /** @description people approved what was not `verified`, or rejected what was */
            overridden: number;
        };
        /** @enum {unknown} */
        StatisticsGrouping: "verdict" | "reason" | "template" | "brand";
        /** @enum {unknown} */
        StatisticsInterval: "hour" | "day" | "week";
        /** @enum {unknown} */
        Status: "pending" | "partially_captured" | "completed" | "expired" | "failed" | "abandoned";
        Step: components["schemas"]["ImageStep"] | components["schemas"]["TextStep"] | components["schemas"]["UploadStep"];
        StepInput: components["schemas"]["ImageStepInput"] | components["schemas"]["TextStepInput"] | components["schemas"]["UploadStepInput"];
        StepState: components["schemas"]["PictureStepState"] | components["schemas"]["TextStepState"];
        /** @enum {unknown} */
        Stopped: "not_allowed";
        SubjectExpectations: {
            /** @description Where the photos must be taken: an address, `latitude,longitude` or a full plus code */
            expected_location?: string;
            /** @description What the photos must show */
            expected_object?: string;
            /** @description What to grade from 0 to 10, for example `paint` */
            condition_aspects?: string[];
            ocr_type?: string;
            asset_ref?: string;
            person?: components["schemas"]["ExpectedPerson"];
        };
        SwitchTenant: {
            tenant_id: string;
            livemode: boolean;
        };
        System: {
            findings: components["schemas"]["SystemFinding"][];
        };
        SystemFinding: {
            part: components["schemas"]["SystemPart"];
            /** @description `missing`: not configured, and the service works without it */
            state: components["schemas"]["SystemState"];
            what: string;
            /** @description what is lost without it, and what to set */
            advice?: string;
        };
        /** @enum {unknown} */
        SystemPart: "node" | "data_folder" | "disk_space" | "database" | "store" | "seals" | "retention" | "vision_model" | "text_reader" | "reverse_search" | "required_signals" | "geocoder" | "passkey" | "providers" | "magic_link" | "one_time_code" | "email" | "attestation" | "time_stamps";
        /** @enum {unknown} */
        SystemState: "ok" | "missing" | "wrong";
        TemplateRequest: {
            /** @description Asks for this many photos in one step. Send this or `steps`. */
            max_captures?: number;
            /** @description The photos, files and answers to ask for, in order. At most 20 captures in all. */
            steps?: components["schemas"]["StepInput"][];
            /** @description How long the capture link works. Default: 3600. */
            expires_in_seconds?: number;
            /** @description The signals that decide the verdict. The account's setting replaces the default. Default: ["screen","ai"]. */
            signals_required?: components["schemas"]["SignalName"][];
            /** @description where `depth` is required: `lenient` counts what a camera session contradicts; `strict` calls a live photo suspicious unless its session passed; `attested` does what `lenient` does, and calls a live photo suspicious unless App Attest or Play Integrity attested its bytes */
            depth_policy?: components["schemas"]["DepthPolicy"];
            /** @description Seals the record and the answers with a hash at completion. Default: true. */
            seal?: boolean;
            /** @description `audit`: existing files instead of live photos; `screen` and `depth` do not apply */
            mode?: components["schemas"]["VerificationMode"];
            context?: components["schemas"]["Context"];
            /**
             * Format: iri
             * @description Gets a signed POST for every event of the verification
             */
            webhook_url?: string;
            /** @description Gets an e-mail with the outcome. `null` turns off the account's default. */
            notify_email?: string | null;
            /** @description Your own keys and values. Every read and every webhook repeats them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Where the photos must be taken: an address, `latitude,longitude` or a full plus code */
            expected_location?: string;
            /** @description What the photos must show */
            expected_object?: string;
            /** @description What to grade from 0 to 10, for example `paint` */
            condition_aspects?: string[];
            expected_info?: components["schemas"]["ExpectedInfo"];
            /** @description The short name of a brand */
            brand_slug?: string;
        };
        TestEvent: {
            /** @constant */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            data: components["schemas"]["TestEventData"];
        };
        TestEventAccepted: {
            delivery_id: string;
        };
        TestEventData: {
            message: string;
            livemode: boolean;
        };
        TestEventRequest: {
            /** Format: iri */
            url: string;
        };
        /** @enum {unknown} */
        TextFormat: "free_text" | "numeric_id" | "alphanumeric_id";
        TextStep: {
            /** @constant */
            type: "text";
            key: string;
            /** @description what the person reads above the viewfinder */
            description: string;
            required: boolean;
            validation: components["schemas"]["TextValidation"];
        };
        TextStepInput: {
            /** @constant */
            type: "text";
            key: string;
            /** @description what the person reads above the viewfinder */
            description?: string;
            /** @description Default: true. */
            required?: boolean;
            validation?: components["schemas"]["TextValidationInput"];
        };
        TextStepState: {
            key: string;
            /** @constant */
            type: "text";
            answered: boolean;
        };
        TextValidation: {
            min_length?: number;
            max_length: number;
            format: components["schemas"]["TextFormat"];
        };
        TextValidationInput: {
            min_length?: number;
            max_length?: number;
            format?: components["schemas"]["TextFormat"];
        };
        ThresholdsInForce: {
            doubtful: number;
            confident: number;
        };
        TokenRequest: {
            token: string;
        };
        Trial: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: uri
             * @description the link for the person with the camera; absent only for people whose role may not create verifications
             */
            capture_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** @description captures received so far */
            captures_count: number;
            config: components["schemas"]["Config"];
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            completed_at?: string;
            verdict?: components["schemas"]["Verdict"];
            captures: components["schemas"]["TrialCapture"][];
        };
        TrialCapture: {
            id: string;
            step_key: string;
            source: components["schemas"]["CaptureSource"];
            content_type: string;
            /** @description pixels */
            width: number;
            /** @description pixels */
            height: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            signals?: components["schemas"]["CaptureSignals"];
        };
        TrialRequest: {
            max_captures?: number;
            steps?: components["schemas"]["StepInput"][];
            /** @description Default: 600. */
            expires_in_seconds?: number;
            signals_required?: components["schemas"]["SignalName"][];
            mode?: components["schemas"]["VerificationMode"];
        };
        /** @enum {unknown} */
        Unanswered: "too_small" | "too_dark" | "analysis_error" | "no_context" | "no_model" | "timeout" | "refused" | "wrong_answer" | "rate_limited" | "unreachable" | "rejected" | "resting" | "too_plain" | "nothing_to_search" | "engine_unavailable" | "no_session" | "session_inconclusive";
        UnansweredSignal: {
            /** @description why the signal could not be evaluated */
            reason?: components["schemas"]["Unanswered"];
            /** @description `sender`: whoever sends the photo can bring this about, so the photo is not verified */
            chosen_by: components["schemas"]["Chooser"];
        };
        UploadStep: {
            /** @constant */
            type: "upload";
            key: string;
            /** @description what the person reads above the viewfinder */
            description: string;
            /** @description captures needed; 0 makes the step optional */
            min: number;
            /** @description the most captures that this step takes */
            max: number;
            accept: components["schemas"]["ImageType"][];
            max_size_bytes: number;
        };
        UploadStepInput: {
            /** @constant */
            type: "upload";
            key: string;
            /** @description what the person reads above the viewfinder */
            description?: string;
            /** @description captures needed; 0 makes the step optional */
            min: number;
            /** @description the most captures that this step takes */
            max: number;
            accept?: components["schemas"]["ImageType"][];
            /** @description Default: 10485760. */
            max_size_bytes?: number;
        };
        UploadUrlRequest: {
            contentType?: string;
            content_type?: string;
            step_key?: string;
            size_bytes?: number;
        };
        UploadUrlResponse: {
            capture_id: string;
            image_key: string;
            upload_url: string;
            /** @constant */
            method: "PUT";
            /** @description send these headers with the upload */
            headers: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
        };
        Verdict: {
            label: components["schemas"]["VerdictLabel"];
            score: number;
            signals: components["schemas"]["VerdictSignals"];
            reason_code?: components["schemas"]["ReasonCode"];
        };
        VerdictAiDetection: {
            label: components["schemas"]["AiLabel"];
            confidence: number;
            /**
             * @description present if the signal could not be evaluated
             * @constant
             */
            evaluated?: false;
        };
        VerdictDepth: {
            source: string;
            confidence: number;
            /**
             * @description present if the signal could not be evaluated
             * @constant
             */
            evaluated?: false;
        };
        /** @enum {unknown} */
        VerdictLabel: "verified" | "suspicious" | "failed";
        VerdictReverseSearch: {
            found_online: boolean;
            match_count: number;
            /**
             * @description present if the signal could not be evaluated
             * @constant
             */
            evaluated?: false;
        };
        VerdictScreenDetection: {
            screen_detected: boolean;
            confidence: number;
            /**
             * @description present if the signal could not be evaluated
             * @constant
             */
            evaluated?: false;
        };
        VerdictSignals: {
            screen_detection?: components["schemas"]["VerdictScreenDetection"] | components["schemas"]["NotApplicable"];
            ai_detection?: components["schemas"]["VerdictAiDetection"] | components["schemas"]["NotApplicable"];
            reverse_search?: components["schemas"]["VerdictReverseSearch"] | components["schemas"]["NotApplicable"];
            depth?: components["schemas"]["VerdictDepth"] | components["schemas"]["NotApplicable"];
        };
        Verification: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: uri
             * @description the link for the person with the camera; absent only for people whose role may not create verifications
             */
            capture_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** @description captures received so far */
            captures_count: number;
            config: components["schemas"]["Config"];
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            completed_at?: string;
            answers?: {
                [key: string]: components["schemas"]["Answer"];
            };
            record_seal?: components["schemas"]["RecordSeal"];
            verdict?: components["schemas"]["Verdict"];
            narrative?: string;
            case_analysis?: components["schemas"]["CaseAnalysis"];
            object_match?: components["schemas"]["ObjectMatch"];
            condition?: components["schemas"]["Condition"];
            /** @description checks in which the model found text in a picture that tells it what to answer; each opens a review */
            instructions_found?: components["schemas"]["InstructedCheck"][];
            location_match?: components["schemas"]["LocationMatch"];
            progress?: components["schemas"]["Progress"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            redacted_at?: string;
            review: components["schemas"]["ReviewSummary"];
            /** @description oldest first */
            reviews: components["schemas"]["Review"][];
            captures: components["schemas"]["Capture"][];
            /** @description while the verification is open: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
        };
        VerificationEvent: {
            type: components["schemas"]["VerificationEventType"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            timestamp: string;
            data: components["schemas"]["VerificationEventData"];
        };
        VerificationEventData: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: uri
             * @description the link for the person with the camera; absent only for people whose role may not create verifications
             */
            capture_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** @description captures received so far */
            captures_count: number;
            config: components["schemas"]["Config"];
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            completed_at?: string;
            answers?: {
                [key: string]: components["schemas"]["Answer"];
            };
            record_seal?: components["schemas"]["RecordSeal"];
            verdict?: components["schemas"]["Verdict"];
            narrative?: string;
            case_analysis?: components["schemas"]["CaseAnalysis"];
            object_match?: components["schemas"]["ObjectMatch"];
            condition?: components["schemas"]["Condition"];
            /** @description checks in which the model found text in a picture that tells it what to answer; each opens a review */
            instructions_found?: components["schemas"]["InstructedCheck"][];
            location_match?: components["schemas"]["LocationMatch"];
            progress?: components["schemas"]["Progress"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            redacted_at?: string;
            review: components["schemas"]["ReviewSummary"];
            /** @description oldest first */
            reviews: components["schemas"]["Review"][];
            captures: components["schemas"]["Capture"][];
            /** @description while the verification is open: required signals that this installation cannot evaluate */
            warnings?: components["schemas"]["CreationWarning"][];
            /** @description counts the events of one verification: 1, 2, 3… They may arrive in another order */
            sequence: number;
            metadata: {
                [key: string]: string;
            };
        };
        /** @enum {unknown} */
        VerificationEventType: "verification.created" | "verification.capture_received" | "verification.completed" | "verification.expired" | "verification.failed" | "verification.case_completed" | "verification.redacted" | "verification.reviewed";
        /** @enum {unknown} */
        VerificationMode: "verification" | "audit";
        VerificationSummary: {
            id: string;
            status: components["schemas"]["Status"];
            /**
             * Format: uri
             * @description the link for the person with the camera; absent only for people whose role may not create verifications
             */
            capture_url?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            expires_at: string;
            /** @description captures received so far */
            captures_count: number;
            config: components["schemas"]["Config"];
            livemode: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            completed_at?: string;
            answers?: {
                [key: string]: components["schemas"]["Answer"];
            };
            record_seal?: components["schemas"]["RecordSeal"];
            verdict?: components["schemas"]["Verdict"];
            narrative?: string;
            case_analysis?: components["schemas"]["CaseAnalysis"];
            object_match?: components["schemas"]["ObjectMatch"];
            condition?: components["schemas"]["Condition"];
            /** @description checks in which the model found text in a picture that tells it what to answer; each opens a review */
            instructions_found?: components["schemas"]["InstructedCheck"][];
            location_match?: components["schemas"]["LocationMatch"];
            progress?: components["schemas"]["Progress"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            redacted_at?: string;
            review: components["schemas"]["ReviewSummary"];
            /** @description oldest first */
            reviews: components["schemas"]["Review"][];
        };
        VerificationSummaryList: {
            data: components["schemas"]["VerificationSummary"][];
            /** @description absent on the last page */
            next_cursor?: string;
            /** @description on the first page: how many match; exact up to 1,000, an estimate beyond */
            total_estimate?: number;
        };
        WaitingInvitation: {
            id: string;
            name: string;
            role: components["schemas"]["Role"];
        };
        /** @enum {unknown} */
        WarningReason: "no_context" | "no_model" | "nothing_to_search";
        WebhookAttempt: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            at: string;
            status_code?: number;
            error?: components["schemas"]["AttemptError"];
            latency_ms: number;
            /** @description the first 1 kB of the response */
            response_excerpt?: string;
        };
        WebhookDelivery: {
            id: string;
            /** @description the webhook-id header of every attempt */
            event_id: string;
            type: components["schemas"]["WebhookEventType"];
            verification_id?: string;
            url: string;
            status: components["schemas"]["DeliveryStatus"];
            attempts: components["schemas"]["WebhookAttempt"][];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            next_attempt_at?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
        };
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        WebhookEndpoint: {
            id: string;
            url: string;
            livemode: boolean;
            status: components["schemas"]["EndpointStatus"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            failing_since?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            disabled_at?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_at: string;
        };
        WebhookEndpointList: {
            data: components["schemas"]["WebhookEndpoint"][];
            /** @description absent on the last page */
            next_cursor?: string;
        };
        /** @enum {unknown} */
        WebhookEventType: "verification.created" | "verification.capture_received" | "verification.completed" | "verification.expired" | "verification.failed" | "verification.case_completed" | "verification.redacted" | "verification.reviewed" | "webhook.test";
        WebhookSecret: {
            /** @description `whsec_`, followed by base64 */
            secret: string;
            previous?: components["schemas"]["PreviousWebhookSecret"];
        };
        WornColors: {
            /** @description #rrggbb */
            accent: string;
            /** @description #rrggbb */
            background?: string;
        };
        ListVerificationsQuery: {
            limit?: number;
            cursor?: string;
            /** @description ids between commas */
            id?: string[];
            /** @description one value, or several between commas */
            status?: components["schemas"]["Status"][];
            /** @description one value, or several between commas */
            verdict?: components["schemas"]["VerdictLabel"][];
            /** @description one value, or several between commas */
            template_id?: string[];
            /** @description one value, or several between commas */
            review?: components["schemas"]["ReviewState"][];
            /** @description one value, or several between commas */
            brand_slug?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_before?: string;
            external_ref?: string;
            /** @description the beginning of an id, or any part of `external_ref`, of a metadata value or of the person’s name, in any case */
            q?: string;
        };
        ExportVerificationsQuery: {
            /** @description ids between commas */
            id?: string[];
            /** @description one value, or several between commas */
            status?: components["schemas"]["Status"][];
            /** @description one value, or several between commas */
            verdict?: components["schemas"]["VerdictLabel"][];
            /** @description one value, or several between commas */
            template_id?: string[];
            /** @description one value, or several between commas */
            review?: components["schemas"]["ReviewState"][];
            /** @description one value, or several between commas */
            brand_slug?: string[];
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_after?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            created_before?: string;
            external_ref?: string;
            /** @description the beginning of an id, or any part of `external_ref`, of a metadata value or of the person’s name, in any case */
            q?: string;
        };
        GetCredentialQuery: {
            /** @description the file as received (default), or the smaller JPEG of the service */
            of?: components["schemas"]["CredentialOf"];
        };
        GetPeopleDataQuery: {
            external_ref?: string;
            email?: string;
            phone_e164?: string;
        };
        GetReviewAgreementQuery: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            since?: string;
        };
        ReplayThresholdsQuery: {
            doubtful?: number;
            confident?: number;
            mode?: components["schemas"]["Mode"];
        };
        CreateBatchQuery: {
            dry_run?: boolean;
            /** @description mail each person with an e-mail address their link */
            send?: boolean;
            /** @description for CSV; JSON has its own member */
            template_id?: string;
        };
        ListBatchesQuery: {
            limit?: number;
            cursor?: string;
        };
        ListBulkActsQuery: {
            limit?: number;
            cursor?: string;
        };
        GetBulkActResultsQuery: {
            /**
             * @description only those that failed
             * @constant
             */
            result?: "failed";
        };
        ListApiKeysQuery: {
            limit?: number;
            cursor?: string;
        };
        ListBrandsQuery: {
            limit?: number;
            cursor?: string;
        };
        ListLinkTemplatesQuery: {
            limit?: number;
            cursor?: string;
        };
        GetStatisticsQuery: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            from?: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC
             */
            to?: string;
            interval?: components["schemas"]["StatisticsInterval"];
            by?: components["schemas"]["StatisticsGrouping"];
            mode?: components["schemas"]["Mode"];
        };
        StreamChangesQuery: {
            cursor?: string;
        };
        ListAuditLogQuery: {
            limit?: number;
            cursor?: string;
        };
        ListWebhookDeliveriesQuery: {
            limit?: number;
            cursor?: string;
            verification_id?: string;
            status?: components["schemas"]["DeliveryStatus"];
            type?: components["schemas"]["WebhookEventType"];
        };
        ListWebhookEndpointsQuery: {
            limit?: number;
            cursor?: string;
        };
        StreamEventsQuery: {
            cursor?: string;
            mode?: components["schemas"]["Mode"];
        };
        StartProviderSignInQuery: {
            return_to?: string;
        };
        ListPeopleQuery: {
            limit?: number;
            cursor?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Actor = components['schemas']['Actor'];
export type ActorKind = components['schemas']['ActorKind'];
export type AiLabel = components['schemas']['AiLabel'];
export type AiRisk = components['schemas']['AiRisk'];
export type AnnouncedFilm = components['schemas']['AnnouncedFilm'];
export type Answer = components['schemas']['Answer'];
export type AnswersRequest = components['schemas']['AnswersRequest'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyKind = components['schemas']['ApiKeyKind'];
export type ApiKeyList = components['schemas']['ApiKeyList'];
export type AspectScore = components['schemas']['AspectScore'];
export type AttemptError = components['schemas']['AttemptError'];
export type Attestation = components['schemas']['Attestation'];
export type AttestationVerdict = components['schemas']['AttestationVerdict'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type AuditEntryList = components['schemas']['AuditEntryList'];
export type Band = components['schemas']['Band'];
export type Batch = components['schemas']['Batch'];
export type BatchCheck = components['schemas']['BatchCheck'];
export type BatchFault = components['schemas']['BatchFault'];
export type BatchList = components['schemas']['BatchList'];
export type BatchRequest = components['schemas']['BatchRequest'];
export type BatchRow = components['schemas']['BatchRow'];
export type BatchState = components['schemas']['BatchState'];
export type BlindSample = components['schemas']['BlindSample'];
export type Brand = components['schemas']['Brand'];
export type BrandInput = components['schemas']['BrandInput'];
export type BrandList = components['schemas']['BrandList'];
export type BrandView = components['schemas']['BrandView'];
export type BrandViewColors = components['schemas']['BrandViewColors'];
export type BulkAct = components['schemas']['BulkAct'];
export type BulkActList = components['schemas']['BulkActList'];
export type BulkActName = components['schemas']['BulkActName'];
export type BulkActRequest = components['schemas']['BulkActRequest'];
export type BulkActState = components['schemas']['BulkActState'];
export type BulkFilter = components['schemas']['BulkFilter'];
export type CameraPermission = components['schemas']['CameraPermission'];
export type CameraSign = components['schemas']['CameraSign'];
export type Capture = components['schemas']['Capture'];
export type CaptureAiDetection = components['schemas']['CaptureAiDetection'];
export type CaptureAssessment = components['schemas']['CaptureAssessment'];
export type CaptureConfig = components['schemas']['CaptureConfig'];
export type CaptureDepth = components['schemas']['CaptureDepth'];
export type CaptureLocationMatch = components['schemas']['CaptureLocationMatch'];
export type CaptureRequest = components['schemas']['CaptureRequest'];
export type CaptureRequirements = components['schemas']['CaptureRequirements'];
export type CaptureReverseSearch = components['schemas']['CaptureReverseSearch'];
export type CaptureScreenDetection = components['schemas']['CaptureScreenDetection'];
export type CaptureSignals = components['schemas']['CaptureSignals'];
export type CaptureSource = components['schemas']['CaptureSource'];
export type CaseAnalysis = components['schemas']['CaseAnalysis'];
export type CaseDimensions = components['schemas']['CaseDimensions'];
export type Challenge = components['schemas']['Challenge'];
export type ChallengeRequest = components['schemas']['ChallengeRequest'];
export type ChatWebhook = components['schemas']['ChatWebhook'];
export type ChatWebhookInput = components['schemas']['ChatWebhookInput'];
export type ChatWebhookTest = components['schemas']['ChatWebhookTest'];
export type Chooser = components['schemas']['Chooser'];
export type Colors = components['schemas']['Colors'];
export type Condition = components['schemas']['Condition'];
export type ConditionLabel = components['schemas']['ConditionLabel'];
export type Config = components['schemas']['Config'];
export type Context = components['schemas']['Context'];
export type ContextCheck = components['schemas']['ContextCheck'];
export type CreateApiKey = components['schemas']['CreateApiKey'];
export type CreateVerificationRequest = components['schemas']['CreateVerificationRequest'];
export type CreationWarning = components['schemas']['CreationWarning'];
export type CredentialOf = components['schemas']['CredentialOf'];
export type Decision = components['schemas']['Decision'];
export type DeliveryStatus = components['schemas']['DeliveryStatus'];
export type DepthPolicy = components['schemas']['DepthPolicy'];
export type Dimension = components['schemas']['Dimension'];
export type EndUserView = components['schemas']['EndUserView'];
export type EndpointStatus = components['schemas']['EndpointStatus'];
export type ErasedKind = components['schemas']['ErasedKind'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type ErrorResponse = components['schemas']['ErrorResponse'];
export type EvidenceKey = components['schemas']['EvidenceKey'];
export type EvidenceKeyRole = components['schemas']['EvidenceKeyRole'];
export type EvidenceKeys = components['schemas']['EvidenceKeys'];
export type ExpectedInfo = components['schemas']['ExpectedInfo'];
export type ExpectedInfoSource = components['schemas']['ExpectedInfoSource'];
export type ExpectedPerson = components['schemas']['ExpectedPerson'];
export type ExplainedThreshold = components['schemas']['ExplainedThreshold'];
export type ExplainedThresholds = components['schemas']['ExplainedThresholds'];
export type Explanation = components['schemas']['Explanation'];
export type Fault = components['schemas']['Fault'];
export type FaultCode = components['schemas']['FaultCode'];
export type FilmAnnouncement = components['schemas']['FilmAnnouncement'];
export type FinalDecision = components['schemas']['FinalDecision'];
export type FinalizeRequest = components['schemas']['FinalizeRequest'];
export type FoundRate = components['schemas']['FoundRate'];
export type Funnel = components['schemas']['Funnel'];
export type GeoPoint = components['schemas']['GeoPoint'];
export type HotTile = components['schemas']['HotTile'];
export type ImageStep = components['schemas']['ImageStep'];
export type ImageStepInput = components['schemas']['ImageStepInput'];
export type ImageType = components['schemas']['ImageType'];
export type InstructedCheck = components['schemas']['InstructedCheck'];
export type Invitation = components['schemas']['Invitation'];
export type InvitedPerson = components['schemas']['InvitedPerson'];
export type KeyScope = components['schemas']['KeyScope'];
export type LegalHold = components['schemas']['LegalHold'];
export type LegalHoldRequest = components['schemas']['LegalHoldRequest'];
export type LinkTemplate = components['schemas']['LinkTemplate'];
export type LinkTemplateInput = components['schemas']['LinkTemplateInput'];
export type LinkTemplateList = components['schemas']['LinkTemplateList'];
export type LinkTemplateStatus = components['schemas']['LinkTemplateStatus'];
export type LinkTemplateVersion = components['schemas']['LinkTemplateVersion'];
export type LinkTemplateWithVersions = components['schemas']['LinkTemplateWithVersions'];
export type LocationMatch = components['schemas']['LocationMatch'];
export type LocationResult = components['schemas']['LocationResult'];
export type LocationSource = components['schemas']['LocationSource'];
export type MagicLinkRequest = components['schemas']['MagicLinkRequest'];
export type Me = components['schemas']['Me'];
export type MePerson = components['schemas']['MePerson'];
export type MeSession = components['schemas']['MeSession'];
export type MeTenant = components['schemas']['MeTenant'];
export type MembershipEntry = components['schemas']['MembershipEntry'];
export type MissingSettings = components['schemas']['MissingSettings'];
export type Mode = components['schemas']['Mode'];
export type Move = components['schemas']['Move'];
export type NewApiKey = components['schemas']['NewApiKey'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type NextReview = components['schemas']['NextReview'];
export type NoOdds = components['schemas']['NoOdds'];
export type NotApplicable = components['schemas']['NotApplicable'];
export type Nothing = components['schemas']['Nothing'];
export type ObjectMatch = components['schemas']['ObjectMatch'];
export type ObjectMatchStatus = components['schemas']['ObjectMatchStatus'];
export type Odds = components['schemas']['Odds'];
export type OneTimeCode = components['schemas']['OneTimeCode'];
export type OneTimeCodeRedeem = components['schemas']['OneTimeCodeRedeem'];
export type OneTimeCodeRequest = components['schemas']['OneTimeCodeRequest'];
export type Passkey = components['schemas']['Passkey'];
export type PasskeyAssertion = components['schemas']['PasskeyAssertion'];
export type PasskeyAssertionResponse = components['schemas']['PasskeyAssertionResponse'];
export type PasskeyAttestation = components['schemas']['PasskeyAttestation'];
export type PasskeyAttestationResponse = components['schemas']['PasskeyAttestationResponse'];
export type PasskeyExtensionResults = components['schemas']['PasskeyExtensionResults'];
export type PasskeyOptions = components['schemas']['PasskeyOptions'];
export type PathPoint = components['schemas']['PathPoint'];
export type Person = components['schemas']['Person'];
export type PersonList = components['schemas']['PersonList'];
export type PersonPatch = components['schemas']['PersonPatch'];
export type PictureStepState = components['schemas']['PictureStepState'];
export type PictureStepType = components['schemas']['PictureStepType'];
export type Plausibility = components['schemas']['Plausibility'];
export type Presence = components['schemas']['Presence'];
export type PresenceCheck = components['schemas']['PresenceCheck'];
export type PresenceChecks = components['schemas']['PresenceChecks'];
export type PresenceEvidence = components['schemas']['PresenceEvidence'];
export type PresenceNoise = components['schemas']['PresenceNoise'];
export type PresenceResult = components['schemas']['PresenceResult'];
export type PreviousWebhookSecret = components['schemas']['PreviousWebhookSecret'];
export type Progress = components['schemas']['Progress'];
export type ProgressRequest = components['schemas']['ProgressRequest'];
export type ProgressStep = components['schemas']['ProgressStep'];
export type PublicSeal = components['schemas']['PublicSeal'];
export type PublicVerdict = components['schemas']['PublicVerdict'];
export type PublicView = components['schemas']['PublicView'];
export type PublishedRates = components['schemas']['PublishedRates'];
export type Rate = components['schemas']['Rate'];
export type ReasonCode = components['schemas']['ReasonCode'];
export type RecordSeal = components['schemas']['RecordSeal'];
export type RecoverRequest = components['schemas']['RecoverRequest'];
export type Recovered = components['schemas']['Recovered'];
export type RedactRequest = components['schemas']['RedactRequest'];
export type RedactedLeaf = components['schemas']['RedactedLeaf'];
export type RedactionKept = components['schemas']['RedactionKept'];
export type RedactionReceipt = components['schemas']['RedactionReceipt'];
export type Replay = components['schemas']['Replay'];
export type ReplayedDecision = components['schemas']['ReplayedDecision'];
export type ReplayedFlips = components['schemas']['ReplayedFlips'];
export type ReplayedLabel = components['schemas']['ReplayedLabel'];
export type ReplayedThresholds = components['schemas']['ReplayedThresholds'];
export type ReplayedVerification = components['schemas']['ReplayedVerification'];
export type ResendRequest = components['schemas']['ResendRequest'];
export type ResentDeliveries = components['schemas']['ResentDeliveries'];
export type Review = components['schemas']['Review'];
export type ReviewAgreement = components['schemas']['ReviewAgreement'];
export type ReviewFlag = components['schemas']['ReviewFlag'];
export type ReviewInput = components['schemas']['ReviewInput'];
export type ReviewPolicy = components['schemas']['ReviewPolicy'];
export type ReviewPriority = components['schemas']['ReviewPriority'];
export type ReviewQueue = components['schemas']['ReviewQueue'];
export type ReviewState = components['schemas']['ReviewState'];
export type ReviewSummary = components['schemas']['ReviewSummary'];
export type Reviewer = components['schemas']['Reviewer'];
export type Role = components['schemas']['Role'];
export type RotateSecretRequest = components['schemas']['RotateSecretRequest'];
export type SealPart = components['schemas']['SealPart'];
export type SessionEntry = components['schemas']['SessionEntry'];
export type SessionList = components['schemas']['SessionList'];
export type Settings = components['schemas']['Settings'];
export type SettingsPatch = components['schemas']['SettingsPatch'];
export type SharedExpectations = components['schemas']['SharedExpectations'];
export type SignInMethods = components['schemas']['SignInMethods'];
export type SignInProvider = components['schemas']['SignInProvider'];
export type SignalExplanation = components['schemas']['SignalExplanation'];
export type SignalName = components['schemas']['SignalName'];
export type Statistics = components['schemas']['Statistics'];
export type StatisticsBucket = components['schemas']['StatisticsBucket'];
export type StatisticsGroup = components['schemas']['StatisticsGroup'];
export type StatisticsGrouping = components['schemas']['StatisticsGrouping'];
export type StatisticsInterval = components['schemas']['StatisticsInterval'];
export type Status = components['schemas']['Status'];
export type Step = components['schemas']['Step'];
export type StepInput = components['schemas']['StepInput'];
export type StepState = components['schemas']['StepState'];
export type Stopped = components['schemas']['Stopped'];
export type SubjectExpectations = components['schemas']['SubjectExpectations'];
export type SwitchTenant = components['schemas']['SwitchTenant'];
export type System = components['schemas']['System'];
export type SystemFinding = components['schemas']['SystemFinding'];
export type SystemPart = components['schemas']['SystemPart'];
export type SystemState = components['schemas']['SystemState'];
export type TemplateRequest = components['schemas']['TemplateRequest'];
export type TestEvent = components['schemas']['TestEvent'];
export type TestEventAccepted = components['schemas']['TestEventAccepted'];
export type TestEventData = components['schemas']['TestEventData'];
export type TestEventRequest = components['schemas']['TestEventRequest'];
export type TextFormat = components['schemas']['TextFormat'];
export type TextStep = components['schemas']['TextStep'];
export type TextStepInput = components['schemas']['TextStepInput'];
export type TextStepState = components['schemas']['TextStepState'];
export type TextValidation = components['schemas']['TextValidation'];
export type TextValidationInput = components['schemas']['TextValidationInput'];
export type ThresholdsInForce = components['schemas']['ThresholdsInForce'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type Trial = components['schemas']['Trial'];
export type TrialCapture = components['schemas']['TrialCapture'];
export type TrialRequest = components['schemas']['TrialRequest'];
export type Unanswered = components['schemas']['Unanswered'];
export type UnansweredSignal = components['schemas']['UnansweredSignal'];
export type UploadStep = components['schemas']['UploadStep'];
export type UploadStepInput = components['schemas']['UploadStepInput'];
export type UploadUrlRequest = components['schemas']['UploadUrlRequest'];
export type UploadUrlResponse = components['schemas']['UploadUrlResponse'];
export type Verdict = components['schemas']['Verdict'];
export type VerdictAiDetection = components['schemas']['VerdictAiDetection'];
export type VerdictDepth = components['schemas']['VerdictDepth'];
export type VerdictLabel = components['schemas']['VerdictLabel'];
export type VerdictReverseSearch = components['schemas']['VerdictReverseSearch'];
export type VerdictScreenDetection = components['schemas']['VerdictScreenDetection'];
export type VerdictSignals = components['schemas']['VerdictSignals'];
export type Verification = components['schemas']['Verification'];
export type VerificationEvent = components['schemas']['VerificationEvent'];
export type VerificationEventData = components['schemas']['VerificationEventData'];
export type VerificationEventType = components['schemas']['VerificationEventType'];
export type VerificationMode = components['schemas']['VerificationMode'];
export type VerificationSummary = components['schemas']['VerificationSummary'];
export type VerificationSummaryList = components['schemas']['VerificationSummaryList'];
export type WaitingInvitation = components['schemas']['WaitingInvitation'];
export type WarningReason = components['schemas']['WarningReason'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryList = components['schemas']['WebhookDeliveryList'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookEndpointList = components['schemas']['WebhookEndpointList'];
export type WebhookEventType = components['schemas']['WebhookEventType'];
export type WebhookSecret = components['schemas']['WebhookSecret'];
export type WornColors = components['schemas']['WornColors'];
export type ListVerificationsQuery = components['schemas']['ListVerificationsQuery'];
export type ExportVerificationsQuery = components['schemas']['ExportVerificationsQuery'];
export type GetCredentialQuery = components['schemas']['GetCredentialQuery'];
export type GetPeopleDataQuery = components['schemas']['GetPeopleDataQuery'];
export type GetReviewAgreementQuery = components['schemas']['GetReviewAgreementQuery'];
export type ReplayThresholdsQuery = components['schemas']['ReplayThresholdsQuery'];
export type CreateBatchQuery = components['schemas']['CreateBatchQuery'];
export type ListBatchesQuery = components['schemas']['ListBatchesQuery'];
export type ListBulkActsQuery = components['schemas']['ListBulkActsQuery'];
export type GetBulkActResultsQuery = components['schemas']['GetBulkActResultsQuery'];
export type ListApiKeysQuery = components['schemas']['ListApiKeysQuery'];
export type ListBrandsQuery = components['schemas']['ListBrandsQuery'];
export type ListLinkTemplatesQuery = components['schemas']['ListLinkTemplatesQuery'];
export type GetStatisticsQuery = components['schemas']['GetStatisticsQuery'];
export type StreamChangesQuery = components['schemas']['StreamChangesQuery'];
export type ListAuditLogQuery = components['schemas']['ListAuditLogQuery'];
export type ListWebhookDeliveriesQuery = components['schemas']['ListWebhookDeliveriesQuery'];
export type ListWebhookEndpointsQuery = components['schemas']['ListWebhookEndpointsQuery'];
export type StreamEventsQuery = components['schemas']['StreamEventsQuery'];
export type StartProviderSignInQuery = components['schemas']['StartProviderSignInQuery'];
export type ListPeopleQuery = components['schemas']['ListPeopleQuery'];
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
