import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useEffect, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Empty } from '../../base/parts/states.tsx';
import { useMay } from '../../entry/session/signed-in.ts';
import { Photos } from '../photo/photos.tsx';
import { type PhotoView, usePhotoView } from '../photo/use-photo-view.ts';
import { Place } from '../place/place.tsx';
import { Checks } from '../verification/facts.tsx';
import { WhyPanel } from '../why/why-panel.tsx';
import { Genuine, Note } from './decide-parts.tsx';
import { DecisionBar } from './decision-bar.tsx';
import type { Decide } from './queue.ts';
import { EarlierReviews, Told } from './told.tsx';
import { useAtHand } from './use-at-hand.tsx';

interface CaseProps {
  verification: Verification;
  decide: Decide;
}

/** The photos of one case, what speaks for and against them, and the decision. */
export function CaseAtHand({ verification, decide }: CaseProps) {
  const { t } = useWords();
  const { captures } = verification;
  const view = usePhotoView(captures);
  const [placeOpen, setPlaceOpen] = useState(true);
  const mayReview = useMay('reviewer');
  const { decision, noteField, comparison } = useAtHand(verification, {
    view,
    decide,
    onPlace: () => setPlaceOpen(!placeOpen),
  });
  useEffect(() => {
    // The keys work wherever the focus is; it only must not stay on what is gone.
    if (!document.activeElement || document.activeElement === document.body) view.viewer.current?.focus();
  }, [view.viewer]);
  return (
    <div className="review-main">
      {comparison}
      <div className="review-photos">
        {captures.length > 0 ? (
          <Photos captures={captures} view={view} wheel="always" />
        ) : (
          <Empty icon="camera" title={t('case.noPhotos')} />
        )}
      </div>
      <div className="card review-side">
        <div className="review-read stack">
          <Read verification={verification} view={view} placeOpen={placeOpen} />
          {view.capture && <Genuine capture={view.capture} n={view.at + 1} decision={decision} />}
          <Note decision={decision} field={noteField} />
        </div>
        {mayReview && <DecisionBar decision={decision} />}
      </div>
    </div>
  );
}

interface ReadProps {
  verification: Verification;
  view: PhotoView;
  placeOpen: boolean;
}

/** What there is to read before a decision. */
function Read({ verification, view, placeOpen }: ReadProps) {
  const { t } = useWords();
  const { capture } = view;
  const { expected_location } = verification.config;
  return (
    <>
      <WhyPanel verification={verification} capture={capture} onLight={view.light} onShow={view.showPart} />
      <Checks verification={verification} />
      {capture && placeOpen && (capture.location || expected_location !== undefined) && (
        <section aria-label={t('place.title')} className="stack">
          <h2>{t('place.title')}</h2>
          <Place capture={capture} expected={expected_location} />
        </section>
      )}
      <Told verification={verification} />
      <EarlierReviews reviews={verification.reviews} />
    </>
  );
}
